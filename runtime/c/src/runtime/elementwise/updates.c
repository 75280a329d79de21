/* Runs the loop of an optimizer over all tensors: doubles are read where they are, floats are
 * converted in blocks that stay in the first-level cache. */
#include "runtime/elementwise/updates.h"

#include "runtime/elementwise/elementwise_shares.h"
#include "runtime/platform/parallel.h"

enum { BLOCK = OPMILL_ON_STACK(128, 16) /* floats that are converted at a time */ };

typedef struct update_job {
    const opmill_updates *updates;
    const void *from[OPMILL_UPDATE_GROUP];
    void *to[OPMILL_UPDATE_GROUP];
    int64_t count; /* of elements */
    int64_t step;  /* elements of a task */
} update_job;

static void update_doubles(const update_job *job, int64_t begin, int64_t count) {
    const double *from[OPMILL_UPDATE_GROUP];
    double *to[OPMILL_UPDATE_GROUP];
    for (int32_t k = 0; k < job->updates->group; k++) {
        from[k] = (const double *)job->from[k] + begin;
        to[k] = k + 1 < job->updates->group ? (double *)job->to[k] + begin : NULL;
    }
    job->updates->loop(job->updates->operands, from, to, count);
}

static void widen(const float *from, double *to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = (double)from[i];
    }
}

static void narrow(const double *from, float *to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = (float)from[i];
    }
}

static void update_floats(const update_job *job, int64_t begin, int64_t count) {
    double given[OPMILL_UPDATE_GROUP][BLOCK], found[OPMILL_UPDATE_GROUP][BLOCK];
    const double *from[OPMILL_UPDATE_GROUP];
    double *to[OPMILL_UPDATE_GROUP];
    const int32_t group = job->updates->group;
    for (int32_t k = 0; k < OPMILL_UPDATE_GROUP; k++) {
        from[k] = given[k];
        to[k] = found[k];
    }
    for (int64_t i = begin, size; i < begin + count; i += size) {
        const int64_t left = begin + count - i;
        size = left < BLOCK ? left : BLOCK;
        for (int32_t k = 0; k < group; k++) {
            widen((const float *)job->from[k] + i, given[k], size);
        }
        job->updates->loop(job->updates->operands, from, to, size);
        for (int32_t k = 0; k + 1 < group; k++) {
            narrow(found[k], (float *)job->to[k] + i, size);
        }
    }
}

static void run_floats(void *state, int64_t task, int32_t worker) {
    const update_job *const job = state;
    const int64_t begin = task * job->step, left = job->count - begin;
    (void)worker;
    update_floats(job, begin, left < job->step ? left : job->step);
}

static void run_doubles(void *state, int64_t task, int32_t worker) {
    const update_job *const job = state;
    const int64_t begin = task * job->step, left = job->count - begin;
    (void)worker;
    update_doubles(job, begin, left < job->step ? left : job->step);
}

void opmill_updates_run(const opmill_updates *updates, const opmill_tensor *const *inputs,
                        int32_t input_count, opmill_tensor *const *outputs,
                        const opmill_context *context) {
    const int32_t count = input_count / updates->group;
    for (int32_t i = 0; i < count; i++) {
        const bool is_double = inputs[i]->type == OPMILL_DOUBLE;
        update_job job = {.updates = updates, .count = 1};
        for (int32_t k = 0; k < inputs[i]->rank; k++) {
            job.count *= inputs[i]->dims[k];
        }
        if (job.count == 0) {
            continue;
        }
        for (int32_t k = 0; k < updates->group; k++) {
            job.from[k] = inputs[i + k * count]->data;
            job.to[k] = k + 1 < updates->group ? outputs[i + k * count]->data : NULL;
        }
        const opmill_shares shares = opmill_share(job.count, is_double ? 8 : 4, 1, false, context);
        job.step = shares.step;
        opmill_parallel(shares.tasks, shares.threads, is_double ? run_doubles : run_floats, &job);
    }
}
