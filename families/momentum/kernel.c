/* Momentum, in double. */
#include "families/momentum/kernel.h"

#include "runtime/elementwise/updates.h"
#include "runtime/numbers/reals.h"

typedef struct step_numbers {
    double rate, alpha, factor, norm;
    bool is_nesterov;
} step_numbers;

static void update(const void *operands, const double *const *from, double *const *to,
                   int64_t count) {
    const step_numbers step = *(const step_numbers *)operands;
    const double *const restrict x = from[0], *const restrict g = from[1];
    const double *const restrict v = from[2];
    double *const restrict new_x = to[0], *const restrict new_v = to[1];
    for (int64_t i = 0; i < count; i++) {
        const double gradient = step.norm * x[i] + g[i];
        const double momentum = step.alpha * v[i] + step.factor * gradient;
        const double along = step.is_nesterov ? gradient + step.alpha * momentum : momentum;
        new_x[i] = x[i] - step.rate * along;
        new_v[i] = momentum;
    }
}

int opmill_momentum_compute(const opmill_tensor *R, const opmill_tensor *T,
                            const opmill_tensor *const *inputs, int32_t inputs_count,
                            opmill_tensor *const *outputs, int32_t outputs_count,
                            const opmill_momentum_plan *plan, opmill_context *context) {
    const step_numbers step = {
        .rate = opmill_real_at(R->data, R->type, 0),
        .alpha = plan->alpha,
        .factor = *(const int64_t *)T->data > 0 ? plan->beta : 1,
        .norm = plan->norm_coefficient,
        .is_nesterov = plan->is_nesterov,
    };
    const opmill_updates updates = {update, &step, 3};
    (void)outputs_count;
    opmill_updates_run(&updates, inputs, inputs_count, outputs, context);
    return OPMILL_OK;
}
