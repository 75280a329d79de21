/* FusedConv: a convolution of floating types, whose sums are added to a tensor and activated as
 * they are stored.
 */
#include "families/fused_conv/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/call/prepared.h"
#include "runtime/convolution/convolution.h"
#include "runtime/elementwise/activations.h"
#include "runtime/numbers/reals.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"
#include "runtime/product/operands.h"

enum { W = 1 }; /* the position of the input */

enum { CHUNK = OPMILL_ON_STACK(256, 64) }; /* sums of a map that are activated together */

typedef struct fused_problem {
    opmill_convolution convolution;
    opmill_activation activation; /* with a number below 0 there is none */
    opmill_limits limits;
    int32_t isa;
    const void *bias, *added; /* or NULL */
} fused_problem;

/* Sums with their bias, and what is added: in their own type, which may be wider than that of Y. */
#define DEFINE_FINISH(real, sums_type)                                                            \
    static void finish_##real(const opmill_convolution *convolution, int64_t item, int64_t map,   \
                              int64_t position, const void *sums, int64_t count) {                \
        const fused_problem *const problem = convolution->state;                                  \
        const int64_t all_maps = convolution->groups * convolution->maps;                         \
        const int64_t to = (item * all_maps + map) * convolution->out_size + position;            \
        const int32_t type = convolution->y_type;                                                 \
        real values[CHUNK], bias = 0;                                                             \
        if (problem->bias != NULL) {                                                              \
            bias = (real)opmill_real_at(problem->bias, type, map);                                \
        }                                                                                         \
        for (int64_t first = 0; first < count; first += CHUNK) {                                  \
            const real *const from = (const real *)sums + first;                                  \
            const int64_t size = count - first < CHUNK ? count - first : CHUNK;                   \
            for (int64_t i = 0; i < size; i++) {                                                  \
                values[i] = from[i] + bias;                                                       \
            }                                                                                     \
            for (int64_t i = 0; problem->added != NULL && i < size; i++) {                        \
                values[i] += (real)opmill_real_at(problem->added, type, to + first + i);          \
            }                                                                                     \
            if (problem->activation.number >= 0) {                                                \
                opmill_activate(&problem->activation, sums_type, problem->isa, values, size);     \
            }                                                                                     \
            if (type == sums_type) {                                                              \
                memcpy((real *)convolution->y + to + first, values, (size_t)size * sizeof(real)); \
                continue;                                                                         \
            }                                                                                     \
            for (int64_t i = 0; i < size; i++) {                                                  \
                opmill_real_put(convolution->y, type, to + first + i, (double)values[i]);         \
            }                                                                                     \
        }                                                                                         \
    }

DEFINE_FINISH(float, OPMILL_FLOAT)
DEFINE_FINISH(double, OPMILL_DOUBLE)

/* True if the activation is one that convolutions apply as they store floats. */
static bool set_limits(opmill_limits *limits, const opmill_fused_conv_plan *plan) {
    const double low = plan->activation_alpha;
    const double high = plan->activation_beta;
    if (plan->activation == OPMILL_ACTIVATION_RELU) {
        *limits = (opmill_limits){0, INFINITY};
        return true;
    }
    *limits = (opmill_limits){(float)low, (float)high};
    return plan->activation == OPMILL_ACTIVATION_CLIP && low == low && high == high;
}

/* Describes the convolution; false where the output is empty. `y` may be missing. */
static bool describe(fused_problem *problem, const opmill_tensor *x, const opmill_tensor *w,
                     const opmill_tensor *bias, const opmill_tensor *added, void *y,
                     const int64_t *y_dims, const opmill_fused_conv_plan *plan,
                     const opmill_context *context) {
    static const char missing = 0; /* placeholder until data are known */
    opmill_convolution *const convolution = &problem->convolution;
    memset(problem, 0, sizeof *problem);
    if (!opmill_convolution_describe(convolution, x, w, y, y_dims, plan->strides.values,
                                     plan->dilations.values, plan->begin.values, plan->group)) {
        return false;
    }
    convolution->type = opmill_product_sums(x->type);
    convolution->y_type = x->type;
    convolution->w_packed = opmill_prepared_form(context, W);
    if (bias != NULL) {
        problem->bias = bias->data != NULL ? bias->data : &missing;
    }
    if (added == NULL &&
        (plan->activation < 0 || (x->type == OPMILL_FLOAT && set_limits(&problem->limits, plan)))) {
        convolution->bias = problem->bias;
        convolution->limits = plan->activation < 0 ? NULL : &problem->limits;
        return true;
    }
    problem->added = added != NULL ? added->data : NULL;
    problem->activation.number = plan->activation;
    problem->activation.alpha = plan->activation_alpha;
    problem->activation.beta = plan->activation_beta;
    problem->isa = opmill_isa_select(context->isa);
    convolution->state = problem;
    convolution->finish = convolution->type == OPMILL_DOUBLE ? finish_double : finish_float;
    return true;
}

void opmill_fused_conv_prepare(opmill_packing *packing, void *to, const opmill_context *context) {
    opmill_convolution convolution;
    const opmill_tensor *const w = packing->inputs[W];
    if (opmill_convolution_describe_weights(
            &convolution, w, *(const int64_t *)opmill_packing_attribute(packing, "group"))) {
        convolution.type = opmill_product_sums(w->type);
        opmill_convolution_prepare(packing, &convolution, to, context);
    }
}

size_t opmill_fused_conv_workspace_bytes(const opmill_tensor *x, const opmill_tensor *w,
                                         const opmill_tensor *bias, const opmill_tensor *z,
                                         const opmill_shape *y, const opmill_fused_conv_plan *plan,
                                         const opmill_context *context) {
    fused_problem problem;
    opmill_convolution_layout layout;
    if (!describe(&problem, x, w, bias, z, NULL, y->dims, plan, context)) {
        return 0;
    }
    opmill_convolution_lay_out(&layout, &problem.convolution, context);
    return opmill_convolution_workspace(&layout);
}

int opmill_fused_conv_compute(const opmill_tensor *x, const opmill_tensor *w,
                              const opmill_tensor *bias, const opmill_tensor *z, opmill_tensor *y,
                              const opmill_fused_conv_plan *plan, opmill_context *context) {
    fused_problem problem;
    opmill_convolution_layout layout;
    if (describe(&problem, x, w, bias, z, y->data, y->dims, plan, context)) {
        opmill_convolution_lay_out(&layout, &problem.convolution, context);
        opmill_convolution_run(&layout, context->workspace);
    }
    return OPMILL_OK;
}

void opmill_fused_conv_choose(const opmill_tensor *x, const opmill_tensor *w,
                              const opmill_tensor *bias, const opmill_tensor *z,
                              const opmill_shape *y, const opmill_fused_conv_plan *plan,
                              const opmill_context *context, opmill_choice *choice) {
    fused_problem problem;
    opmill_convolution_layout layout;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&problem, x, w, bias, z, NULL, y->dims, plan, context)) {
        opmill_convolution_lay_out(&layout, &problem.convolution, context);
        opmill_convolution_choice(&layout, choice);
    }
}
