/* Elements divided by powers of sums of squares, some places of all channels at a time. All is
 * computed in double; squares are added from the first channel to the last. */
#include "families/local_response_normalization/kernel.h"

#include <stdbool.h>

#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/math/math.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"
#include "runtime/numbers/reals.h"

enum {
    PLACES = OPMILL_ON_STACK(256, 64), /* the maximum number of places that are taken together */
    THREAD_ELEMENTS = 8 * 1024         /* the minimum that is worth a thread of its own */
};

typedef struct response_job {
    const opmill_tensor *x;
    const opmill_tensor *y;
    const opmill_local_response_normalization_plan *plan;
    opmill_math_binary_loop *pow;
    int64_t channels;
    int64_t plane;  /* the places of a channel */
    int64_t groups; /* of places in a plane */
    int64_t all;    /* groups of all instances */
    int64_t share;  /* of them, for a task */
} response_job;

static void add_squares(const response_job *job, int64_t first, int64_t width, double *sums) {
    const opmill_tensor *const x = job->x;
    for (int64_t k = 0; k < width; k++) {
        const double number = opmill_real_at(x->data, x->type, first + k);
        sums[k] += number * number;
    }
}

/* One channel of a group; `first` is its first element in channel 0. */
static void divide(const response_job *job, int64_t first, int64_t channel, int64_t width) {
    const opmill_tensor *const x = job->x;
    const int64_t low = channel - job->plan->before, high = channel + job->plan->after;
    const int64_t last = high < job->channels ? high : job->channels - 1;
    const double beta = job->plan->beta;
    double sums[PLACES], powers[PLACES];
    for (int64_t k = 0; k < width; k++) {
        sums[k] = 0;
    }
    for (int64_t i = low > 0 ? low : 0; i <= last; i++) {
        add_squares(job, first + i * job->plane, width, sums);
    }
    for (int64_t k = 0; k < width; k++) {
        sums[k] = job->plan->bias + job->plan->factor * sums[k];
    }
    job->pow(sums, false, &beta, true, powers, width);
    for (int64_t k = 0; k < width; k++) {
        const int64_t at = first + channel * job->plane + k;
        opmill_real_put(job->y->data, x->type, at,
                        opmill_real_at(x->data, x->type, at) / powers[k]);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const response_job *const job = state;
    const int64_t begin = task * job->share, left = job->all - begin;
    const int64_t end = left < job->share ? job->all : begin + job->share;
    (void)worker;
    for (int64_t group = begin; group < end; group++) {
        const int64_t position = group % job->groups * PLACES, rest = job->plane - position;
        const int64_t first = group / job->groups * job->channels * job->plane + position;
        for (int64_t channel = 0; channel < job->channels; channel++) {
            divide(job, first, channel, rest < PLACES ? rest : PLACES);
        }
    }
}

int opmill_local_response_normalization_compute(
    const opmill_tensor *X, opmill_tensor *Y, const opmill_local_response_normalization_plan *plan,
    opmill_context *context) {
    response_job job = {.x = X, .y = Y, .plan = plan, .channels = X->dims[1], .plane = 1};
    int64_t threads;
    for (int32_t i = 2; i < X->rank; i++) {
        job.plane *= X->dims[i];
    }
    if (X->dims[0] == 0 || job.channels == 0 || job.plane == 0) {
        return OPMILL_OK;
    }
    job.pow = opmill_math_pow(OPMILL_DOUBLE, opmill_isa_select(context->isa));
    job.groups = (job.plane - 1) / PLACES + 1;
    job.all = X->dims[0] * job.groups;
    threads = X->dims[0] * job.channels * job.plane / THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    threads = threads > 1 ? threads : 1;
    job.share = (job.all - 1) / threads + 1;
    opmill_parallel((job.all - 1) / job.share + 1, (int32_t)threads, run_task, &job);
    return OPMILL_OK;
}
