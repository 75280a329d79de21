/* Adagrad, in double. */
#include "families/adagrad/kernel.h"

#include <math.h>

#include "runtime/elementwise/updates.h"
#include "runtime/numbers/reals.h"

typedef struct step_numbers {
    double rate, epsilon, norm;
} step_numbers;

static void update(const void *operands, const double *const *from, double *const *to,
                   int64_t count) {
    const step_numbers step = *(const step_numbers *)operands;
    const double *const restrict x = from[0], *const restrict g = from[1];
    const double *const restrict sums = from[2];
    double *const restrict new_x = to[0], *const restrict new_sums = to[1];
    for (int64_t i = 0; i < count; i++) {
        const double gradient = step.norm * x[i] + g[i];
        const double squares = sums[i] + gradient * gradient;
        new_x[i] = x[i] - step.rate * gradient / (sqrt(squares) + step.epsilon);
        new_sums[i] = squares;
    }
}

int opmill_adagrad_compute(const opmill_tensor *R, const opmill_tensor *T,
                           const opmill_tensor *const *inputs, int32_t inputs_count,
                           opmill_tensor *const *outputs, int32_t outputs_count,
                           const opmill_adagrad_plan *plan, opmill_context *context) {
    const double updates_so_far = (double)*(const int64_t *)T->data;
    const step_numbers step = {
        .rate = opmill_real_at(R->data, R->type, 0) / (1 + updates_so_far * plan->decay_factor),
        .epsilon = plan->epsilon,
        .norm = plan->norm_coefficient,
    };
    const opmill_updates updates = {update, &step, 3};
    (void)outputs_count;
    opmill_updates_run(&updates, inputs, inputs_count, outputs, context);
    return OPMILL_OK;
}
