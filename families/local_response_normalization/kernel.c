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

typedef struct job {
    const opmill_tensor *x;
    const opmill_tensor *y;
    const opmill_local_response_normalization_plan *plan;
    opmill_math_binary_loop *pow;
    int64_t channels;
    int64_t plane;  /* the places of a channel */
    int64_t groups; /* of places in a plane */
    int64_t all;    /* groups of all instances */
    int64_t share;  /* of them, for a task */
} job;

static void add_squares(const job *made, int64_t first, int64_t width, double *sums) {
    const opmill_tensor *const x = made->x;
    for (int64_t k = 0; k < width; k++) {
        const double number = opmill_real_at(x->data, x->type, first + k);
        sums[k] += number * number;
    }
}

/* One channel of a group; `first` is its first element in channel 0. */
static void divide(const job *made, int64_t first, int64_t channel, int64_t width) {
    const opmill_tensor *const x = made->x;
    const int64_t low = channel - made->plan->before, high = channel + made->plan->after;
    const int64_t last = high < made->channels ? high : made->channels - 1;
    const double beta = made->plan->beta;
    double sums[PLACES], powers[PLACES];
    for (int64_t k = 0; k < width; k++) {
        sums[k] = 0;
    }
    for (int64_t i = low > 0 ? low : 0; i <= last; i++) {
        add_squares(made, first + i * made->plane, width, sums);
    }
    for (int64_t k = 0; k < width; k++) {
        sums[k] = made->plan->bias + made->plan->factor * sums[k];
    }
    made->pow(sums, false, &beta, true, powers, width);
    for (int64_t k = 0; k < width; k++) {
        const int64_t at = first + channel * made->plane + k;
        opmill_real_put(made->y->data, x->type, at,
                        opmill_real_at(x->data, x->type, at) / powers[k]);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    const int64_t begin = task * made->share, left = made->all - begin;
    const int64_t end = left < made->share ? made->all : begin + made->share;
    (void)worker;
    for (int64_t group = begin; group < end; group++) {
        const int64_t place = group % made->groups * PLACES, rest = made->plane - place;
        const int64_t first = group / made->groups * made->channels * made->plane + place;
        for (int64_t channel = 0; channel < made->channels; channel++) {
            divide(made, first, channel, rest < PLACES ? rest : PLACES);
        }
    }
}

int opmill_local_response_normalization_compute(
    const opmill_tensor *X, opmill_tensor *Y, const opmill_local_response_normalization_plan *plan,
    opmill_context *context) {
    job made = {.x = X, .y = Y, .plan = plan, .channels = X->dims[1], .plane = 1};
    int64_t most;
    for (int32_t i = 2; i < X->rank; i++) {
        made.plane *= X->dims[i];
    }
    if (X->dims[0] == 0 || made.channels == 0 || made.plane == 0) {
        return OPMILL_OK;
    }
    made.pow = opmill_math_pow(OPMILL_DOUBLE, opmill_isa_select(context->isa));
    made.groups = (made.plane - 1) / PLACES + 1;
    made.all = X->dims[0] * made.groups;
    most = X->dims[0] * made.channels * made.plane / THREAD_ELEMENTS;
    most = most < context->threads ? most : context->threads;
    most = most > 1 ? most : 1;
    made.share = (made.all - 1) / most + 1;
    opmill_parallel((made.all - 1) / made.share + 1, (int32_t)most, run_task, &made);
    return OPMILL_OK;
}
