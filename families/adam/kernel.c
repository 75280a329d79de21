/* Adam, in double. */
#include "families/adam/kernel.h"

#include <math.h>

#include "runtime/elementwise/updates.h"
#include "runtime/math/math.h"
#include "runtime/numbers/reals.h"

typedef struct step_numbers {
    double rate, alpha, beta, epsilon, norm, remaining;
} step_numbers;

static void update(const void *operands, const double *const *from, double *const *to,
                   int64_t count) {
    const step_numbers step = *(const step_numbers *)operands;
    const double *const restrict x = from[0], *const restrict g = from[1];
    const double *const restrict v = from[2], *const restrict h = from[3];
    double *const restrict new_x = to[0], *const restrict new_v = to[1];
    double *const restrict new_h = to[2];
    for (int64_t i = 0; i < count; i++) {
        const double gradient = step.norm * x[i] + g[i];
        const double average = step.alpha * v[i] + (1 - step.alpha) * gradient;
        const double squares = step.beta * h[i] + (1 - step.beta) * gradient * gradient;
        const double moved = x[i] - step.rate * average / (sqrt(squares) + step.epsilon);
        new_x[i] = step.remaining * moved;
        new_v[i] = average;
        new_h[i] = squares;
    }
}

/* The powers are the same on every machine: those of the plain instruction set. */
static double power(double base, double exponent) {
    double found;
    opmill_math_pow(OPMILL_DOUBLE, OPMILL_ISA_PLAIN)(&base, true, &exponent, true, &found, 1);
    return found;
}

int opmill_adam_compute(const opmill_tensor *R, const opmill_tensor *T,
                        const opmill_tensor *const *inputs, int32_t inputs_count,
                        opmill_tensor *const *outputs, int32_t outputs_count,
                        const opmill_adam_plan *plan, opmill_context *context) {
    const double updates_so_far = (double)*(const int64_t *)T->data;
    step_numbers step = {
        .rate = opmill_real_at(R->data, R->type, 0),
        .alpha = plan->alpha,
        .beta = plan->beta,
        .epsilon = plan->epsilon,
        .norm = plan->norm_coefficient,
        .remaining = 1 - plan->norm_coefficient_post,
    };
    if (updates_so_far > 0) {
        step.rate = step.rate * sqrt(1 - power(plan->beta, updates_so_far)) /
                    (1 - power(plan->alpha, updates_so_far));
    }
    const opmill_updates updates = {update, &step, 4};
    (void)outputs_count;
    opmill_updates_run(&updates, inputs, inputs_count, outputs, context);
    return OPMILL_OK;
}
