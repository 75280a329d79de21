/* Normalisation along any axes: each position of the others has a set of elements. */
#include "families/mean_variance_normalization/kernel.h"

#include <math.h>

#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/moments/moments.h"
#include "runtime/platform/parallel.h"

enum { THREAD_ELEMENTS = 32 * 1024 }; /* the minimum that is worth a thread of its own */

#define MIN_DEVIATION 1e-9 /* added to a deviation, so that it is not 0 */

typedef struct moments_job {
    const opmill_tensor *x;
    const opmill_tensor *y;
    const opmill_moments_loops *loops;
    opmill_moments_set set;
    opmill_moments_set groups; /* the positions that have a set each */
    int64_t share;             /* of them, for a task */
} moments_job;

/* Sorts the axes, the innermost first; adjacent ones of a kind are one. */
static moments_job lay_out(const opmill_tensor *x, const int64_t *reduces) {
    moments_job job = {.x = x, .set = {.type = x->type, .count = 1}, .groups = {.count = 1}};
    int64_t stride = 1;
    for (int32_t i = x->rank - 1; i >= 0; i--) {
        opmill_moments_set *const of = reduces[i] != 0 ? &job.set : &job.groups;
        if (x->dims[i] == 1) {
            continue;
        }
        if (of == &job.set && stride == job.set.count && job.set.rank == 0) {
            of->count *= x->dims[i];
        } else if (of->rank > 0 && of->strides[of->rank - 1] * of->dims[of->rank - 1] == stride) {
            of->dims[of->rank - 1] *= x->dims[i];
        } else {
            of->dims[of->rank] = x->dims[i];
            of->strides[of->rank++] = stride;
        }
        stride *= x->dims[i];
    }
    return job;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const moments_job *const job = state;
    const int64_t all = opmill_moments_size(&job->groups), first = task * job->share;
    const int64_t last = all - first < job->share ? all : first + job->share;
    const int64_t bytes = opmill_type_bytes(job->x->type);
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        int64_t left = i, offset = 0;
        for (int32_t axis = 0; axis < job->groups.rank; axis++) {
            offset += left % job->groups.dims[axis] * job->groups.strides[axis];
            left /= job->groups.dims[axis];
        }
        const char *const x = (const char *)job->x->data + offset * bytes;
        const opmill_moments found = opmill_moments_of(job->loops, &job->set, x);
        opmill_moments_shift_set(job->loops, &job->set, x, (char *)job->y->data + offset * bytes,
                                 found.mean, 1 / (sqrt(found.variance) + MIN_DEVIATION), 0);
    }
}

int opmill_mean_variance_normalization_compute(const opmill_tensor *X, opmill_tensor *Y,
                                               const opmill_mean_variance_normalization_plan *plan,
                                               opmill_context *context) {
    moments_job job;
    int64_t threads, sets, size = 1;
    for (int32_t i = 0; i < X->rank; i++) {
        size *= X->dims[i];
    }
    if (size == 0) {
        return OPMILL_OK;
    }
    job = lay_out(X, plan->reduces.values);
    job.y = Y;
    job.loops = opmill_moments_loops_of(X->type, opmill_isa_select(context->isa));
    sets = opmill_moments_size(&job.groups);
    threads = size / THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    threads = threads > 1 ? threads : 1;
    job.share = (sets - 1) / threads + 1;
    opmill_parallel((sets - 1) / job.share + 1, (int32_t)threads, run_task, &job);
    return OPMILL_OK;
}
