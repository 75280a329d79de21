/* Applies an activation function, selected by number, to a row of floats or doubles. */
#include "families/recurrent/activations.h"

#include "opmill/types.h"
#include "runtime/math/math.h"
#include "runtime/platform/platform.h"

enum {
    AFFINE,
    ELU,
    HARD_SIGMOID,
    LEAKY_RELU,
    RELU,
    SCALED_TANH,
    SIGMOID,
    SOFTPLUS,
    SOFTSIGN,
    TANH
};

enum {
    BLOCK = OPMILL_ON_STACK(256, 128)
}; /* elements whose arguments are kept beside, as the loops want them */

#define DEFINE_ACTIVATE(real, type)                                                               \
    static void arguments_##real(const opmill_recurrent_activation *activation, const real *x,    \
                                 real *arguments, int64_t count) {                                \
        const real limit = (real)activation->limit;                                               \
        const real factor = activation->number == SCALED_TANH ? (real)activation->beta : 1;       \
        for (int64_t i = 0; i < count; i++) {                                                     \
            const real clipped = x[i] > limit ? limit : x[i] < -limit ? -limit : x[i];            \
            arguments[i] = factor * (activation->clips ? clipped : x[i]);                         \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    static void block_##real(const opmill_recurrent_activation *activation, int32_t isa,          \
                             const real *restrict x, real *restrict y, int64_t count) {           \
        const real alpha = (real)activation->alpha, beta = (real)activation->beta;                \
        switch (activation->number) {                                                             \
        case AFFINE:                                                                              \
            for (int64_t i = 0; i < count; i++) {                                                 \
                y[i] = alpha * x[i] + beta;                                                       \
            }                                                                                     \
            break;                                                                                \
        case ELU:                                                                                 \
            opmill_math_elu(type, isa)(x, y, count, activation->alpha, 1);                        \
            break;                                                                                \
        case HARD_SIGMOID:                                                                        \
            for (int64_t i = 0; i < count; i++) {                                                 \
                const real line = alpha * x[i] + beta;                                            \
                y[i] = line < 0 ? 0 : line > 1 ? 1 : line;                                        \
            }                                                                                     \
            break;                                                                                \
        case LEAKY_RELU:                                                                          \
            for (int64_t i = 0; i < count; i++) {                                                 \
                y[i] = x[i] >= 0 ? x[i] : alpha * x[i];                                           \
            }                                                                                     \
            break;                                                                                \
        case RELU:                                                                                \
            for (int64_t i = 0; i < count; i++) {                                                 \
                y[i] = x[i] < 0 ? 0 : x[i];                                                       \
            }                                                                                     \
            break;                                                                                \
        case SCALED_TANH:                                                                         \
            opmill_math_tanh(type, isa)(x, y, count);                                             \
            for (int64_t i = 0; i < count; i++) {                                                 \
                y[i] *= alpha;                                                                    \
            }                                                                                     \
            break;                                                                                \
        case SIGMOID:                                                                             \
            opmill_math_sigmoid(type, isa)(x, y, count);                                          \
            break;                                                                                \
        case SOFTPLUS:                                                                            \
            opmill_math_softplus(type, isa)(x, y, count);                                         \
            break;                                                                                \
        case SOFTSIGN:                                                                            \
            for (int64_t i = 0; i < count; i++) {                                                 \
                y[i] = x[i] / (1 + (x[i] < 0 ? -x[i] : x[i]));                                    \
            }                                                                                     \
            break;                                                                                \
        case TANH:                                                                                \
            opmill_math_tanh(type, isa)(x, y, count);                                             \
            break;                                                                                \
        default: /* ThresholdedRelu */                                                            \
            for (int64_t i = 0; i < count; i++) {                                                 \
                y[i] = x[i] >= alpha ? x[i] : 0;                                                  \
            }                                                                                     \
            break;                                                                                \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    static void activate_##real(const opmill_recurrent_activation *activation, int32_t isa,       \
                                real *values, int64_t count) {                                    \
        real arguments[BLOCK];                                                                    \
        for (int64_t first = 0; first < count; first += BLOCK) {                                  \
            const int64_t size = count - first < BLOCK ? count - first : (int64_t)BLOCK;          \
            arguments_##real(activation, values + first, arguments, size);                        \
            block_##real(activation, isa, arguments, values + first, size);                       \
        }                                                                                         \
    }

DEFINE_ACTIVATE(float, OPMILL_FLOAT)
DEFINE_ACTIVATE(double, OPMILL_DOUBLE)

void opmill_recurrent_activate(const opmill_recurrent_activation *activation, int32_t type,
                               int32_t isa, void *values, int64_t count) {
    if (type == OPMILL_DOUBLE) {
        activate_double(activation, isa, values, count);
    } else {
        activate_float(activation, isa, values, count);
    }
}
