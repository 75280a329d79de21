/* Normalisation of groups of channels: the elements of a group are adjacent. */
#include "families/group_normalization/kernel.h"

#include <math.h>

#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/moments/moments.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"

enum { THREAD_ELEMENTS = 32 * 1024 }; /* the minimum that is worth a thread of its own */

typedef struct job {
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
} job;

static double element(const job *made, int64_t i) {
    return opmill_real_of_type(opmill_real_at(made->x->data, made->x->type, i), made->stash);
}

/* A group whose elements are rounded to the stash type. */
static void rounded_group(const job *made, int64_t group) {
    const int64_t size = made->strips * made->length, start = group * size;
    double mean = 0, variance = 0;
    for (int64_t i = start; i < start + size; i++) {
        mean += element(made, i);
    }
    mean /= (double)size;
    for (int64_t i = start; i < start + size; i++) {
        const double less = element(made, i) - mean;
        variance += less * less;
    }
    const double factor = 1 / sqrt(variance / (double)size + made->epsilon);
    for (int64_t i = 0; i < size; i++) {
        const int64_t at = group % made->groups * made->strips + i / made->length;
        const double scale = opmill_real_at(made->scale->data, made->scale->type, at);
        const double bias = opmill_real_at(made->bias->data, made->bias->type, at);
        opmill_real_put(made->y->data, made->y->type, start + i,
                        (element(made, start + i) - mean) * factor * scale + bias);
    }
}

static void group(const job *made, int64_t number) {
    const int32_t type = made->x->type;
    const int64_t bytes = opmill_type_bytes(type) * made->length;
    const opmill_moments_set set = {.type = type, .count = made->strips * made->length};
    const char *const x = (const char *)made->x->data + number * made->strips * bytes;
    char *const y = (char *)made->y->data + number * made->strips * bytes;
    const opmill_moments found = opmill_moments_of(made->loops, &set, x);
    const double factor = 1 / sqrt(found.variance + made->epsilon);
    for (int64_t i = 0; i < made->strips; i++) {
        const int64_t at = number % made->groups * made->strips + i;
        const double scale = opmill_real_at(made->scale->data, type, at);
        const double bias = opmill_real_at(made->bias->data, type, at);
        opmill_moments_shift(made->loops, type, x + i * bytes, y + i * bytes, made->length,
                             found.mean, factor * scale, bias);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    const int64_t first = task * made->share, left = made->all - first;
    const int64_t last = left < made->share ? made->all : first + made->share;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        if (made->stash != 0) {
            rounded_group(made, i);
        } else {
            group(made, i);
        }
    }
}

int opmill_group_normalization_compute(const opmill_tensor *X, const opmill_tensor *scale,
                                       const opmill_tensor *B, opmill_tensor *Y,
                                       const opmill_group_normalization_plan *plan,
                                       opmill_context *context) {
    const int32_t natural = X->type == OPMILL_DOUBLE ? OPMILL_DOUBLE : OPMILL_FLOAT;
    job made = {.x = X, .scale = scale, .bias = B, .y = Y, .epsilon = plan->epsilon};
    int64_t plane = 1, most;
    for (int32_t i = 2; i < X->rank; i++) {
        plane *= X->dims[i];
    }
    if (X->dims[0] == 0 || X->dims[1] == 0 || plane == 0) {
        return OPMILL_OK;
    }
    made.loops = opmill_moments_loops_of(X->type, opmill_isa_select(context->isa));
    made.groups = plan->groups;
    made.strips = plan->scales / plan->groups;
    made.length = X->dims[1] / plan->scales * plane;
    made.all = X->dims[0] * plan->groups;
    made.stash = plan->stash == natural || plan->stash == OPMILL_DOUBLE ? 0 : (int32_t)plan->stash;
    most = X->dims[0] * X->dims[1] * plane / THREAD_ELEMENTS;
    most = most < context->threads ? most : context->threads;
    most = most > 1 ? most : 1;
    made.share = (made.all - 1) / most + 1;
    opmill_parallel((made.all - 1) / made.share + 1, (int32_t)most, run_task, &made);
    return OPMILL_OK;
}
