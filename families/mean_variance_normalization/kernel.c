/* Normalisation along any axes: each position of the others has a set of elements. */
#include "families/mean_variance_normalization/kernel.h"

#include <math.h>

#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/moments/moments.h"
#include "runtime/platform/parallel.h"

enum { THREAD_ELEMENTS = 32 * 1024 }; /* the minimum that is worth a thread of its own */

#define MIN_DEVIATION 1e-9 /* added to a deviation, so that it is not 0 */

typedef struct job {
    const opmill_tensor *x;
    const opmill_tensor *y;
    const opmill_moments_loops *loops;
    opmill_moments_set set;
    opmill_moments_set kept; /* the positions that have a set each */
    int64_t share;           /* of them, for a task */
} job;

/* Sorts the axes, the innermost first; adjacent ones of a kind are one. */
static job lay_out(const opmill_tensor *x, const int64_t *reduces) {
    job made = {.x = x, .set = {.type = x->type, .count = 1}, .kept = {.count = 1}};
    int64_t stride = 1;
    for (int32_t i = x->rank - 1; i >= 0; i--) {
        opmill_moments_set *const of = reduces[i] != 0 ? &made.set : &made.kept;
        if (x->dims[i] == 1) {
            continue;
        }
        if (of == &made.set && stride == made.set.count && made.set.rank == 0) {
            of->count *= x->dims[i];
        } else if (of->rank > 0 && of->strides[of->rank - 1] * of->dims[of->rank - 1] == stride) {
            of->dims[of->rank - 1] *= x->dims[i];
        } else {
            of->dims[of->rank] = x->dims[i];
            of->strides[of->rank++] = stride;
        }
        stride *= x->dims[i];
    }
    return made;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    const int64_t all = opmill_moments_size(&made->kept), first = task * made->share;
    const int64_t last = all - first < made->share ? all : first + made->share;
    const int64_t bytes = opmill_type_bytes(made->x->type);
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        int64_t left = i, offset = 0;
        for (int32_t axis = 0; axis < made->kept.rank; axis++) {
            offset += left % made->kept.dims[axis] * made->kept.strides[axis];
            left /= made->kept.dims[axis];
        }
        const char *const x = (const char *)made->x->data + offset * bytes;
        const opmill_moments found = opmill_moments_of(made->loops, &made->set, x);
        opmill_moments_shift_set(made->loops, &made->set, x, (char *)made->y->data + offset * bytes,
                                 found.mean, 1 / (sqrt(found.variance) + MIN_DEVIATION), 0);
    }
}

int opmill_mean_variance_normalization_compute(const opmill_tensor *X, opmill_tensor *Y,
                                               const opmill_mean_variance_normalization_plan *plan,
                                               opmill_context *context) {
    job made;
    int64_t most, sets, size = 1;
    for (int32_t i = 0; i < X->rank; i++) {
        size *= X->dims[i];
    }
    if (size == 0) {
        return OPMILL_OK;
    }
    made = lay_out(X, plan->reduces.values);
    made.y = Y;
    made.loops = opmill_moments_loops_of(X->type, opmill_isa_select(context->isa));
    sets = opmill_moments_size(&made.kept);
    most = size / THREAD_ELEMENTS;
    most = most < context->threads ? most : context->threads;
    most = most > 1 ? most : 1;
    made.share = (sets - 1) / most + 1;
    opmill_parallel((sets - 1) / made.share + 1, (int32_t)most, run_task, &made);
    return OPMILL_OK;
}
