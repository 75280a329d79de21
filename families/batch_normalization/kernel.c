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

typedef struct normalization_job {
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
} normalization_job;

static double at(const opmill_tensor *tensor, int64_t i) {
    return opmill_real_at(tensor->data, tensor->type, i);
}

static void put(const opmill_tensor *tensor, int64_t i, double number) {
    if (tensor != NULL) {
        opmill_real_put(tensor->data, tensor->type, i, number);
    }
}

static double factor_of(const normalization_job *job, int64_t channel, double variance) {
    return at(job->scale, channel) / sqrt(variance + job->epsilon);
}

static void infer_strip(const normalization_job *job, int64_t strip) {
    const int32_t type = job->x->type;
    const int64_t channel = strip % job->channels;
    const int64_t start = strip * job->length * opmill_type_bytes(type);
    opmill_moments_shift(job->loops, type, (const char *)job->x->data + start,
                         (char *)job->y->data + start, job->length, at(job->mean, channel),
                         factor_of(job, channel, at(job->variance, channel)),
                         at(job->bias, channel));
}

/* Strips of one element, those of `columns` channels from `channel` on in rows from `first` on. */
static void infer_columns(const normalization_job *job, int64_t first, int64_t last,
                          int64_t channel, int64_t columns) {
    double centers[OPMILL_MOMENTS_COLUMNS], factors[OPMILL_MOMENTS_COLUMNS],
        biases[OPMILL_MOMENTS_COLUMNS];
    const int64_t start = first * job->channels + channel;
    const int64_t bytes = opmill_type_bytes(job->x->type);
    bool fit = true;
    for (int64_t k = 0; k < columns; k++) {
        centers[k] = at(job->mean, channel + k);
        factors[k] = factor_of(job, channel + k, at(job->variance, channel + k));
        biases[k] = at(job->bias, channel + k);
        fit = fit && opmill_moments_fit(centers[k], factors[k]);
    }
    if (fit) {
        job->loops->shift_columns((const char *)job->x->data + start * bytes,
                                  (char *)job->y->data + start * bytes, last - first, job->channels,
                                  columns, centers, factors, biases);
        return;
    }
    for (int64_t row = first; row < last; row++) {
        for (int64_t k = 0; k < columns; k++) {
            infer_strip(job, row * job->channels + channel + k);
        }
    }
}

static void train_channel(const normalization_job *job, int64_t channel) {
    const int32_t type = job->x->type;
    const int64_t start = channel * job->length * opmill_type_bytes(type);
    const opmill_moments_set set = {
        type, job->length, 1, {job->instances}, {job->channels * job->length}};
    const char *const x = (const char *)job->x->data;
    const void *const from = job->instances * job->length > 0 ? x + start : NULL;
    const opmill_moments found = job->mean->type == OPMILL_DOUBLE && type != OPMILL_DOUBLE
                                     ? opmill_moments_in_double(&set, from)
                                     : opmill_moments_of(job->loops, &set, from);
    const double momentum = job->momentum, added = 1 - momentum;
    if (job->instances * job->length > 0) {
        opmill_moments_shift_set(job->loops, &set, x + start, (char *)job->y->data + start,
                                 found.mean, factor_of(job, channel, found.variance),
                                 at(job->bias, channel));
    }
    put(job->running_mean, channel, at(job->mean, channel) * momentum + found.mean * added);
    put(job->running_variance, channel,
        at(job->variance, channel) * momentum + found.variance * added);
    put(job->saved_mean, channel, found.mean);
    put(job->saved_variance, channel, found.variance);
}

static void infer_task(void *state, int64_t task, int32_t worker) {
    const normalization_job *const job = state;
    const int64_t first = task * job->share, left = job->all - first;
    const int64_t last = left < job->share ? job->all : first + job->share;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        infer_strip(job, i);
    }
}

static void rows_task(void *state, int64_t task, int32_t worker) {
    const normalization_job *const job = state;
    const int64_t first = task * job->share, left = job->all - first;
    const int64_t last = left < job->share ? job->all : first + job->share;
    (void)worker;
    for (int64_t i = 0; i < job->channels; i += OPMILL_MOMENTS_COLUMNS) {
        const int64_t columns = job->channels - i;
        infer_columns(job, first, last, i,
                      columns < OPMILL_MOMENTS_COLUMNS ? columns : OPMILL_MOMENTS_COLUMNS);
    }
}

static void train_task(void *state, int64_t task, int32_t worker) {
    const normalization_job *const job = state;
    const int64_t first = task * job->share, left = job->all - first;
    const int64_t last = left < job->share ? job->all : first + job->share;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        train_channel(job, i);
    }
}

int opmill_batch_normalization_compute(const opmill_tensor *X, const opmill_tensor *scale,
                                       const opmill_tensor *B, const opmill_tensor *mean,
                                       const opmill_tensor *var, opmill_tensor *Y,
                                       opmill_tensor *running_mean, opmill_tensor *running_var,
                                       opmill_tensor *saved_mean, opmill_tensor *saved_var,
                                       const opmill_batch_normalization_plan *plan,
                                       opmill_context *context) {
    normalization_job job = {X,
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
    int64_t threads;
    for (int32_t i = 1; i < X->rank; i++) {
        *(i == 1 || plan->activations ? &job.channels : &job.length) *= X->dims[i];
    }
    const bool rows = !plan->training && job.length == 1;
    job.all = plan->training ? job.channels : rows ? job.instances : job.instances * job.channels;
    if (job.all == 0 || (!plan->training && job.channels * job.length == 0)) {
        return OPMILL_OK;
    }
    job.loops = opmill_moments_loops_of(X->type, opmill_isa_select(context->isa));
    threads = job.instances * job.channels * job.length / THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    threads = threads > 1 ? threads : 1;
    job.share = (job.all - 1) / threads + 1;
    opmill_parallel((job.all - 1) / job.share + 1, (int32_t)threads,
                    plan->training ? train_task
                    : rows         ? rows_task
                                   : infer_task,
                    &job);
    return OPMILL_OK;
}
