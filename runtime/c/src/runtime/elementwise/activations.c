/* Applies an activation, selected by number, to floats or doubles, in blocks. */
#include "runtime/elementwise/activations.h"

#include <string.h>

#include "opmill/types.h"
#include "runtime/math/math.h"
#include "runtime/numbers/used_types.h"
#include "runtime/platform/platform.h"

enum {
    BLOCK = OPMILL_ON_STACK(256, 128)
}; /* elements whose arguments the loops read from a buffer */

static bool scales_argument(int64_t number) {
    return number == OPMILL_ACTIVATION_SCALED_TANH ||
           number == OPMILL_ACTIVATION_PARAMETRIC_SOFTPLUS;
}

#define DEFINE_ACTIVATE(real, type) \
    static bool takes_values_##real(const opmill_activation *activation) { \
        return !activation->clips && \
               (!scales_argument(activation->number) || (real)activation->beta == 1); \
    } \
 \
    static void arguments_##real(const opmill_activation *activation, const real *x, \
                                 real *arguments, int64_t count) { \
        const real limit = (real)activation->limit; \
        const real factor = scales_argument(activation->number) ? (real)activation->beta : 1; \
        if (takes_values_##real(activation)) { \
            memcpy(arguments, x, (size_t)count * sizeof *x); \
            return; \
        } \
        for (int64_t i = 0; i < count; i++) { \
            const real clipped = x[i] > limit ? limit : x[i] < -limit ? -limit : x[i]; \
            arguments[i] = factor * (activation->clips ? clipped : x[i]); \
        } \
    } \
 \
    static void block_##real(const opmill_activation *activation, int32_t isa, \
                             const real *restrict x, real *restrict y, int64_t count) { \
        const real alpha = (real)activation->alpha, beta = (real)activation->beta; \
        switch (activation->number) { \
        case OPMILL_ACTIVATION_AFFINE: \
            for (int64_t i = 0; i < count; i++) { \
                y[i] = alpha * x[i] + beta; \
            } \
            break; \
        case OPMILL_ACTIVATION_ELU: \
            opmill_math_elu(type, isa)(x, y, count, activation->alpha, 1); \
            break; \
        case OPMILL_ACTIVATION_HARD_SIGMOID: \
            for (int64_t i = 0; i < count; i++) { \
                const real line = alpha * x[i] + beta; \
                y[i] = line < 0 ? 0 : line > 1 ? 1 : line; \
            } \
            break; \
        case OPMILL_ACTIVATION_LEAKY_RELU: \
            for (int64_t i = 0; i < count; i++) { \
                y[i] = x[i] >= 0 ? x[i] : alpha * x[i]; \
            } \
            break; \
        case OPMILL_ACTIVATION_RELU: \
            for (int64_t i = 0; i < count; i++) { \
                y[i] = x[i] < 0 ? 0 : x[i]; \
            } \
            break; \
        case OPMILL_ACTIVATION_SCALED_TANH: \
            opmill_math_tanh(type, isa)(x, y, count); \
            for (int64_t i = 0; i < count; i++) { \
                y[i] *= alpha; \
            } \
            break; \
        case OPMILL_ACTIVATION_SIGMOID: \
            opmill_math_sigmoid(type, isa)(x, y, count); \
            break; \
        case OPMILL_ACTIVATION_SOFTPLUS: \
            opmill_math_softplus(type, isa)(x, y, count); \
            break; \
        case OPMILL_ACTIVATION_SOFTSIGN: \
            for (int64_t i = 0; i < count; i++) { \
                y[i] = x[i] / (1 + (x[i] < 0 ? -x[i] : x[i])); \
            } \
            break; \
        case OPMILL_ACTIVATION_TANH: \
            opmill_math_tanh(type, isa)(x, y, count); \
            break; \
        case OPMILL_ACTIVATION_ABOVE: \
            for (int64_t i = 0; i < count; i++) { \
                y[i] = x[i] > alpha ? x[i] : 0; \
            } \
            break; \
        case OPMILL_ACTIVATION_CELU: \
            opmill_math_celu(type, isa)(x, y, count, activation->alpha, 1); \
            break; \
        case OPMILL_ACTIVATION_CLIP: \
            for (int64_t i = 0; i < count; i++) { \
                const real above = x[i] < alpha ? alpha : x[i]; \
                y[i] = above > beta ? beta : above; \
            } \
            break; \
        case OPMILL_ACTIVATION_HARD_SWISH: \
            for (int64_t i = 0; i < count; i++) { \
                const real line = x[i] / 6 + (real)0.5; \
                y[i] = x[i] * (line < 0 ? 0 : line > 1 ? 1 : line); \
            } \
            break; \
        case OPMILL_ACTIVATION_PARAMETRIC_SOFTPLUS: \
            opmill_math_softplus(type, isa)(x, y, count); \
            for (int64_t i = 0; i < count; i++) { \
                y[i] *= alpha; \
            } \
            break; \
        case OPMILL_ACTIVATION_SELU: \
            opmill_math_elu(type, isa)(x, y, count, activation->alpha, activation->gamma); \
            break; \
        default: /* OPMILL_ACTIVATION_THRESHOLDED_RELU */ \
            for (int64_t i = 0; i < count; i++) { \
                y[i] = x[i] >= alpha ? x[i] : 0; \
            } \
            break; \
        } \
    } \
 \
    static void activate_##real(const opmill_activation *activation, int32_t isa, \
                                const real *from, real *to, int64_t count) { \
        real arguments[BLOCK]; \
        for (int64_t first = 0; first < count; first += BLOCK) { \
            const int64_t size = count - first < BLOCK ? count - first : (int64_t)BLOCK; \
            arguments_##real(activation, from + first, arguments, size); \
            block_##real(activation, isa, arguments, to + first, size); \
        } \
    }

DEFINE_ACTIVATE(float, OPMILL_FLOAT)
DEFINE_ACTIVATE(double, OPMILL_DOUBLE)

void opmill_activate(const opmill_activation *activation, int32_t type, int32_t isa, void *values,
                     int64_t count) {
    if (OPMILL_USES(DOUBLE) && type == OPMILL_DOUBLE) {
        activate_double(activation, isa, values, values, count);
    } else {
        activate_float(activation, isa, values, values, count);
    }
}

void opmill_activate_to(const opmill_activation *activation, int32_t type, int32_t isa,
                        const void *from, void *to, int64_t count) {
    if (OPMILL_USES(DOUBLE) && type == OPMILL_DOUBLE) {
        if (takes_values_double(activation)) {
            block_double(activation, isa, from, to, count);
        } else {
            activate_double(activation, isa, from, to, count);
        }
    } else if (takes_values_float(activation)) {
        block_float(activation, isa, from, to, count);
    } else {
        activate_float(activation, isa, from, to, count);
    }
}
