/* Computes log-softmax of scores: the maximum of each sample, the sum of exponentials of the
 * differences, then the differences less its logarithm. Samples are processed side by side. */
#include "logarithms.h"

#include <math.h>

#include "runtime/math/exponential.h"
#include "runtime/math/logarithm.h"
#include "runtime/platform/platform.h"
#include "runtime/numbers/reals.h"
#include "samples.h"

#define LOAD_EACH(type, convert)                         \
    {                                                    \
        const type *const from = tensor->data;           \
        for (int64_t k = 0; k < count; k++) {            \
            to[k] = (double)convert(from[at + k]);       \
        }                                                \
        break;                                           \
    }

/* Elements that follow each other. */
static void load(const opmill_tensor *tensor, int64_t at, int64_t count, double *restrict to) {
    switch (tensor->type) {
    case OPMILL_FLOAT:
        LOAD_EACH(float, )
    case OPMILL_DOUBLE:
        LOAD_EACH(double, )
    case OPMILL_FLOAT16:
        LOAD_EACH(uint16_t, opmill_float16_to_float)
    default:
        LOAD_EACH(uint16_t, opmill_bfloat16_to_float)
    }
}

static void store(const opmill_tensor *tensor, int64_t at, int64_t count, const double *from) {
    for (int64_t k = 0; k < count; k++) {
        opmill_real_put(tensor->data, tensor->type, at + k, from[k]);
    }
}

enum { CHUNK = OPMILL_ON_STACK(256, 64) };

/* The scores of one sample, which follow each other. */
static void of_row(const opmill_tensor *scores, int64_t begin, int64_t classes, double *top,
                   double *logarithm, const opmill_tensor *log_prob) {
    double values[CHUNK], largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < classes; i += CHUNK) {
        const int64_t count = classes - i < CHUNK ? classes - i : CHUNK;
        load(scores, begin + i, count, values);
        for (int64_t k = 0; k < count; k++) {
            largest = values[k] > largest ? values[k] : largest;
        }
    }
    for (int64_t i = 0; i < classes; i += CHUNK) {
        const int64_t count = classes - i < CHUNK ? classes - i : CHUNK;
        load(scores, begin + i, count, values);
        for (int64_t k = 0; k < count; k++) {
            sum += opmill_exp_double(values[k] - largest); /* a NaN is noticed here */
        }
    }
    *top = largest;
    *logarithm = sum > 0 && sum < INFINITY ? opmill_log_double(sum) : (double)NAN;
    for (int64_t i = 0; log_prob != NULL && i < classes; i += CHUNK) {
        const int64_t count = classes - i < CHUNK ? classes - i : CHUNK;
        load(scores, begin + i, count, values);
        for (int64_t k = 0; k < count; k++) {
            values[k] = (values[k] - largest) - *logarithm;
        }
        store(log_prob, begin + i, count, values);
    }
}

void opmill_loss_logarithms(const opmill_tensor *scores, int64_t begin, int64_t classes,
                            int64_t step, int64_t width, double *tops, double *logarithms,
                            const opmill_tensor *log_prob) {
    double values[OPMILL_LOSS_COLUMNS], sums[OPMILL_LOSS_COLUMNS];
    if (step == 1) {
        of_row(scores, begin, classes, tops, logarithms, log_prob);
        return;
    }
    for (int64_t k = 0; k < width; k++) {
        tops[k] = -INFINITY;
        sums[k] = 0;
    }
    for (int64_t i = 0; i < classes; i++) {
        load(scores, begin + i * step, width, values);
        for (int64_t k = 0; k < width; k++) {
            tops[k] = values[k] > tops[k] ? values[k] : tops[k];
        }
    }
    for (int64_t i = 0; i < classes; i++) {
        load(scores, begin + i * step, width, values);
        for (int64_t k = 0; k < width; k++) {
            sums[k] += opmill_exp_double(values[k] - tops[k]);
        }
    }
    for (int64_t k = 0; k < width; k++) {
        const int ends = sums[k] > 0 && sums[k] < INFINITY;
        logarithms[k] = ends ? opmill_log_double(sums[k]) : (double)NAN;
    }
    for (int64_t i = 0; log_prob != NULL && i < classes; i++) {
        load(scores, begin + i * step, width, values);
        for (int64_t k = 0; k < width; k++) {
            values[k] = (values[k] - tops[k]) - logarithms[k];
        }
        store(log_prob, begin + i * step, width, values);
    }
}
