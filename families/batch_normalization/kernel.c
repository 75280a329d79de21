/* Normalisation of channels. The elements of a channel are strips, one for each instance. */
#include "families/batch_normalization/kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/moments/moments.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"

enum { THREAD_ELEMENTS = 32 * 1024 }; /* the minimum that is worth a thread of its own */

typedef struct job {
    const opmill_tensor *x, *scale, *bias, *mean, *variance;
    const opmill_tensor *y, *running_mean, *running_variance, *saved_mean, *saved_variance;
    const opmill_moments_loops *loops;
    double epsilon;
    double momentum;
    int64_t instances;
    int64_t channels;
    int64_t length; /* of a strip */
    int64_t all;    /* channels; where the moments are given, strips, or rows of strips of one */
    int64_t share;  /* of them, for a task */
} job;

static double at(const opmill_tensor *tensor, int64_t i) {
    return opmill_real_at(tensor->data, tensor->type, i);
}

static void put(const opmill_tensor *tensor, int64_t i, double number) {
    if (tensor != NULL) {
        opmill_real_put(tensor->data, tensor->type, i, number);
    }
}

static double factor_of(const job *made, int64_t channel, double variance) {
    return at(made->scale, channel) / sqrt(variance + made->epsilon);
}

static void infer_strip(const job *made, int64_t strip) {
    const int32_t type = made->x->type;
    const int64_t channel = strip % made->channels;
    const int64_t start = strip * made->length * opmill_type_bytes(type);
    opmill_moments_shift(made->loops, type, (const char *)made->x->data + start,
                         (char *)made->y->data + start, made->length, at(made->mean, channel),
                         factor_of(made, channel, at(made->variance, channel)),
                         at(made->bias, channel));
}

/* Strips of one element, those of `columns` channels from `channel` on in rows from `first` on. */
static void infer_columns(const job *made, int64_t first, int64_t last, int64_t channel,
                          int64_t columns) {
    double centers[OPMILL_MOMENTS_COLUMNS], factors[OPMILL_MOMENTS_COLUMNS],
        biases[OPMILL_MOMENTS_COLUMNS];
    const int64_t start = first * made->channels + channel;
    const int64_t bytes = opmill_type_bytes(made->x->type);
    bool fit = true;
    for (int64_t k = 0; k < columns; k++) {
        centers[k] = at(made->mean, channel + k);
        factors[k] = factor_of(made, channel + k, at(made->variance, channel + k));
        biases[k] = at(made->bias, channel + k);
        fit = fit && opmill_moments_fit(centers[k], factors[k]);
    }
    if (fit) {
        made->loops->shift_columns((const char *)made->x->data + start * bytes,
                                   (char *)made->y->data + start * bytes, last - first,
                                   made->channels, columns, centers, factors, biases);
        return;
    }
    for (int64_t row = first; row < last; row++) {
        for (int64_t k = 0; k < columns; k++) {
            infer_strip(made, row * made->channels + channel + k);
        }
    }
}

static void train_channel(const job *made, int64_t channel) {
    const int32_t type = made->x->type;
    const int64_t start = channel * made->length * opmill_type_bytes(type);
    const opmill_moments_set set = {
        type, made->length, 1, {made->instances}, {made->channels * made->length}};
    const char *const x = (const char *)made->x->data;
    const void *const from = made->instances * made->length > 0 ? x + start : NULL;
    const opmill_moments found = made->mean->type == OPMILL_DOUBLE && type != OPMILL_DOUBLE
                                     ? opmill_moments_in_double(&set, from)
                                     : opmill_moments_of(made->loops, &set, from);
    const double kept = made->momentum, added = 1 - kept;
    if (made->instances * made->length > 0) {
        opmill_moments_shift_set(made->loops, &set, x + start, (char *)made->y->data + start,
                                 found.mean, factor_of(made, channel, found.variance),
                                 at(made->bias, channel));
    }
    put(made->running_mean, channel, at(made->mean, channel) * kept + found.mean * added);
    put(made->running_variance, channel,
        at(made->variance, channel) * kept + found.variance * added);
    put(made->saved_mean, channel, found.mean);
    put(made->saved_variance, channel, found.variance);
}

static void infer_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    const int64_t first = task * made->share, left = made->all - first;
    const int64_t last = left < made->share ? made->all : first + made->share;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        infer_strip(made, i);
    }
}

static void rows_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    const int64_t first = task * made->share, left = made->all - first;
    const int64_t last = left < made->share ? made->all : first + made->share;
    (void)worker;
    for (int64_t i = 0; i < made->channels; i += OPMILL_MOMENTS_COLUMNS) {
        const int64_t columns = made->channels - i;
        infer_columns(made, first, last, i,
                      columns < OPMILL_MOMENTS_COLUMNS ? columns : OPMILL_MOMENTS_COLUMNS);
    }
}

static void train_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    const int64_t first = task * made->share, left = made->all - first;
    const int64_t last = left < made->share ? made->all : first + made->share;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        train_channel(made, i);
    }
}

int opmill_batch_normalization_compute(const opmill_tensor *X, const opmill_tensor *scale,
                                       const opmill_tensor *B, const opmill_tensor *mean,
                                       const opmill_tensor *var, opmill_tensor *Y,
                                       opmill_tensor *running_mean, opmill_tensor *running_var,
                                       opmill_tensor *saved_mean, opmill_tensor *saved_var,
                                       const opmill_batch_normalization_plan *plan,
                                       opmill_context *context) {
    job made = {X,
                scale,
                B,
                mean,
                var,
                Y,
                running_mean,
                running_var,
                saved_mean,
                saved_var,
                NULL,
                plan->epsilon,
                plan->momentum,
                X->dims[0],
                1,
                1,
                0,
                0};
    int64_t most;
    for (int32_t i = 1; i < X->rank; i++) {
        *(i == 1 || plan->activations ? &made.channels : &made.length) *= X->dims[i];
    }
    const bool rows = !plan->training && made.length == 1;
    made.all = plan->training ? made.channels
               : rows         ? made.instances
                              : made.instances * made.channels;
    if (made.all == 0 || (!plan->training && made.channels * made.length == 0)) {
        return OPMILL_OK;
    }
    made.loops = opmill_moments_loops_of(X->type, opmill_isa_select(context->isa));
    most = made.instances * made.channels * made.length / THREAD_ELEMENTS;
    most = most < context->threads ? most : context->threads;
    most = most > 1 ? most : 1;
    made.share = (made.all - 1) / most + 1;
    opmill_parallel((made.all - 1) / made.share + 1, (int32_t)most,
                    plan->training ? train_task
                    : rows         ? rows_task
                                   : infer_task,
                    &made);
    return OPMILL_OK;
}
