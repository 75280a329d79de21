/* See post_transform.h. */
#include "runtime/estimators/post_transform.h"

#include <math.h>

#include "runtime/math/activation.h"
#include "runtime/math/exponential.h"
#include "runtime/math/logarithm.h"
#include "runtime/numbers/reals.h"

/* The normal quantile by Winitzki's approximation of the inverse error function. */
static double probit(double p) {
    const double a = 0.147, x = 2 * p - 1;
    const double z =
        fabs(x) < 0.5 ? opmill_log1p_double(-(x * x)) : opmill_log_double(4 * p * (1 - p));
    const double v = 2 / (3.14159265358979323846 * a) + z / 2;
    const double root = sqrt(v * v - z / a);
    const double square = v > 0 ? -z / a / (v + root) : root - v;
    return 1.41421356 * copysign(sqrt(square), x);
}

/* The terms that SOFTMAX and SOFTMAX_ZERO divide by their sum. */
static double part_of(int64_t transform, double x, double largest) {
    return transform == OPMILL_TRANSFORM_SOFTMAX || fabs(x) > 1e-7
               ? opmill_exp_double(x - largest)
               : x * opmill_exp_double(-largest);
}

static void softmax(int64_t transform, void *scores, int32_t type, int64_t first, int64_t count) {
    double largest = opmill_real_at(scores, type, first), sum = 0;
    for (int64_t i = first + 1; i < first + count; i++) {
        const double x = opmill_real_at(scores, type, i);
        largest = x > largest ? x : largest;
    }
    for (int64_t i = first; i < first + count; i++) {
        sum += part_of(transform, opmill_real_at(scores, type, i), largest);
    }
    for (int64_t i = first; i < first + count; i++) {
        const double part = part_of(transform, opmill_real_at(scores, type, i), largest);
        opmill_real_put(scores, type, i, sum == 0 ? 0.5 : part / sum);
    }
}

void opmill_post_transform(int64_t transform, void *scores, int32_t type, int64_t first,
                           int64_t count) {
    switch (transform) {
    case OPMILL_TRANSFORM_SOFTMAX:
    case OPMILL_TRANSFORM_SOFTMAX_ZERO:
        if (count > 0) {
            softmax(transform, scores, type, first, count);
        }
        break;
    case OPMILL_TRANSFORM_LOGISTIC:
        for (int64_t i = first; i < first + count; i++) {
            const double x = opmill_real_at(scores, type, i);
            opmill_real_put(scores, type, i, opmill_sigmoid_double(x));
        }
        break;
    case OPMILL_TRANSFORM_PROBIT:
        for (int64_t i = first; i < first + count; i++) {
            opmill_real_put(scores, type, i, probit(opmill_real_at(scores, type, i)));
        }
        break;
    default:
        break;
    }
}
