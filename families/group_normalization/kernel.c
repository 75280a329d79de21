/* Normalisation of groups of channels: the elements of a group are adjacent. */
#include "families/group_normalization/kernel.h"

#include <math.h>

#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/moments/moments.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"

enum { THREAD_ELEMENTS = 32 * 1024 }; /* the minimum that is worth a thread of its own */

typedef struct group_job {
    const opmill_tensor *x;
    const opmill_tensor *scale;
    const opmill_tensor *bias;
    const opmill_tensor *y;
    const opmill_moments_loops *loops;
    double epsilon;
    int64_t groups; /* of an instance */
    int64_t strips; /* of a group, each with a scale of its own */
    int64_t length; /* of a strip */
    int64_t all;    /* groups of all instances */
    int64_t share;  /* of them, for a task */
    int32_t stash;  /* the type that elements are rounded to; 0 where they are not */
} group_job;

static double element(const group_job *job, int64_t i) {
    return opmill_real_of_type(opmill_real_at(job->x->data, job->x->type, i), job->stash);
}

/* A group whose elements are rounded to the stash type. */
static void rounded_group(const group_job *job, int64_t group) {
    const int64_t size = job->strips * job->length, start = group * size;
    double mean = 0, variance = 0;
    for (int64_t i = start; i < start + size; i++) {
        mean += element(job, i);
    }
    mean /= (double)size;
    for (int64_t i = start; i < start + size; i++) {
        const double less = element(job, i) - mean;
        variance += less * less;
    }
    const double factor = 1 / sqrt(variance / (double)size + job->epsilon);
    for (int64_t i = 0; i < size; i++) {
        const int64_t at = group % job->groups * job->strips + i / job->length;
        const double scale = opmill_real_at(job->scale->data, job->scale->type, at);
        const double bias = opmill_real_at(job->bias->data, job->bias->type, at);
        opmill_real_put(job->y->data, job->y->type, start + i,
                        (element(job, start + i) - mean) * factor * scale + bias);
    }
}

static void group(const group_job *job, int64_t number) {
    const int32_t type = job->x->type;
    const int64_t bytes = opmill_type_bytes(type) * job->length;
    const opmill_moments_set set = {.type = type, .count = job->strips * job->length};
    const char *const x = (const char *)job->x->data + number * job->strips * bytes;
    char *const y = (char *)job->y->data + number * job->strips * bytes;
    const opmill_moments found = opmill_moments_of(job->loops, &set, x);
    const double factor = 1 / sqrt(found.variance + job->epsilon);
    for (int64_t i = 0; i < job->strips; i++) {
        const int64_t at = number % job->groups * job->strips + i;
        const double scale = opmill_real_at(job->scale->data, type, at);
        const double bias = opmill_real_at(job->bias->data, type, at);
        opmill_moments_shift(job->loops, type, x + i * bytes, y + i * bytes, job->length,
                             found.mean, factor * scale, bias);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const group_job *const job = state;
    const int64_t first = task * job->share, left = job->all - first;
    const int64_t last = left < job->share ? job->all : first + job->share;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        if (job->stash != 0) {
            rounded_group(job, i);
        } else {
            group(job, i);
        }
    }
}

int opmill_group_normalization_compute(const opmill_tensor *X, const opmill_tensor *scale,
                                       const opmill_tensor *B, opmill_tensor *Y,
                                       const opmill_group_normalization_plan *plan,
                                       opmill_context *context) {
    const int32_t natural = X->type == OPMILL_DOUBLE ? OPMILL_DOUBLE : OPMILL_FLOAT;
    group_job job = {.x = X, .scale = scale, .bias = B, .y = Y, .epsilon = plan->epsilon};
    int64_t plane = 1, threads;
    for (int32_t i = 2; i < X->rank; i++) {
        plane *= X->dims[i];
    }
    if (X->dims[0] == 0 || X->dims[1] == 0 || plane == 0) {
        return OPMILL_OK;
    }
    job.loops = opmill_moments_loops_of(X->type, opmill_isa_select(context->isa));
    job.groups = plan->groups;
    job.strips = plan->scales / plan->groups;
    job.length = X->dims[1] / plan->scales * plane;
    job.all = X->dims[0] * plan->groups;
    job.stash = plan->stash == natural || plan->stash == OPMILL_DOUBLE ? 0 : (int32_t)plan->stash;
    threads = X->dims[0] * X->dims[1] * plane / THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    threads = threads > 1 ? threads : 1;
    job.share = (job.all - 1) / threads + 1;
    opmill_parallel((job.all - 1) / job.share + 1, (int32_t)threads, run_task, &job);
    return OPMILL_OK;
}
