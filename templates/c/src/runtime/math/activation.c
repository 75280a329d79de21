/* Activations of networks over runs of elements. */
#include "runtime/math/activation.h"

#include "runtime/math/nan.h"
#include "runtime/math/pieces.h"

OPMILL_PIECES_OF(sigmoid, OPMILL_PIECES_SIGMOID)
OPMILL_PIECES_OF(softplus, OPMILL_PIECES_SOFTPLUS)
OPMILL_PIECES_OF(gelu, OPMILL_PIECES_GELU)
OPMILL_PIECES_OF(gelu_tanh, OPMILL_PIECES_GELU_TANH)
OPMILL_PIECES_OF(silu, OPMILL_PIECES_SILU)

/* Pieces around the multiples of 1/2, 1/4 or 1/8: adding the offset rounds to these. */
#define EVENLY(name, pieces, largest, rounder)                                                \
    static const opmill_pieces name##_pieces = {.rows = name##_rows,                          \
                                                .columns = name##_columns,                    \
                                                .count = pieces,                              \
                                                .high = largest,                              \
                                                .offset = rounder};
EVENLY(sigmoid, 32, 0x417bffff, 0x1p22f) /* below 15.75 */
EVENLY(softplus, 32, 0x417bffff, 0x1p22f)
EVENLY(silu, 64, 0x417dffff, 0x1p21f) /* below 15.875 */
EVENLY(gelu, 64, 0x40fdffff, 0x1p20f) /* below 7.9375 */
EVENLY(gelu_tanh, 64, 0x40fdffff, 0x1p20f)

/* True if the bits of any of `count` numbers are above a limit, those that `mask` keeps. */
OPMILL_INLINE bool any_above(const opmill_bits32 *x, int64_t count, uint32_t mask, uint32_t limit) {
    uint32_t largest = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t bits = x[i] & mask;
        largest = bits > largest ? bits : largest;
    }
    return largest > limit;
}

/* Beyond the pieces, results are computed in double: those of the arguments whose bits, as far as
 * `mask` keeps them, are above a limit. They are usually few: they are collected first. */
#define COMPUTE_ABOVE(function, mask, limit)                                                     \
    if (any_above(x, count, mask, limit)) {                                                      \
        uint32_t places[OPMILL_MATH_BLOCK], bits[OPMILL_MATH_BLOCK];                             \
        int64_t found = 0;                                                                       \
        for (int64_t i = 0; i < count; i++) {                                                    \
            places[found] = (uint32_t)i;                                                         \
            bits[found] = x[i];                                                                  \
            found += (x[i] & (mask)) > (limit);                                                  \
        }                                                                                        \
        for (int64_t i = 0; i < found; i++) {                                                    \
            const float argument = opmill_float_of_bits(bits[i]);                                \
            bits[i] = opmill_result_float(                                                       \
                bits[i], (float)opmill_##function##_float((double)argument));                    \
        }                                                                                        \
        for (int64_t i = 0; i < found; i++) {                                                    \
            y[places[i]] = bits[i];                                                              \
        }                                                                                        \
    }

/* s(-a) for negative x, 1 - s(-a) for others. */
OPMILL_INLINE void sigmoid_block(int32_t isa, const opmill_bits32 *restrict x,
                                 opmill_bits32 *restrict y, int64_t count) {
    float value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
    opmill_pieces_run(isa, &sigmoid_pieces, x, value, rest, count);
    for (int64_t i = 0; i < count; i++) {
        const float above = 1 - value[i];
        const float lost = (1 - above) - value[i];
        const float negative = value[i] + rest[i];
        const float positive = above + (lost - rest[i]);
        y[i] = opmill_float_bits(x[i] >> 31 != 0 ? negative : positive);
    }
    COMPUTE_ABOVE(sigmoid, 0x7fffffffu, 0x417bffffu) /* 15.75 */
}

/* log(1 + exp(-a)), and for positive x, a more: from 15.75 on, x. */
OPMILL_INLINE void softplus_block(int32_t isa, const opmill_bits32 *restrict x,
                                  opmill_bits32 *restrict y, int64_t count) {
    float value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
    opmill_pieces_run(isa, &softplus_pieces, x, value, rest, count);
    for (int64_t i = 0; i < count; i++) {
        const float argument = opmill_float_of_bits(x[i]);
        const float sum = argument + value[i];
        const float of_value = sum - argument;
        const float lost = (argument - (sum - of_value)) + (value[i] - of_value);
        const float near = sum + (lost + rest[i]);
        const float positive = argument < 15.75f ? near : argument;
        y[i] = opmill_result_float(x[i], argument < 0 ? value[i] + rest[i] : positive);
    }
    COMPUTE_ABOVE(softplus, 0xffffffffu, 0xc17bffffu) /* -15.75 */
}

/* x times a factor that increases from 0 to 1 and is 1/2 at 0: the pieces give the magnitude for
 * negative x, and that less than x for others. Up to `half` the value is a / 2; from `all` on, x.
 */
OPMILL_INLINE void times_factor_block(int32_t isa, const opmill_pieces *pieces, float half,
                                      float all, const opmill_bits32 *restrict x,
                                      opmill_bits32 *restrict y, int64_t count) {
    float value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
    opmill_pieces_run(isa, pieces, x, value, rest, count);
    for (int64_t i = 0; i < count; i++) {
        const float a = opmill_float_of_bits(x[i] & 0x7fffffffu);
        const float first = a < half ? 0.5f * a : value[i];
        const float above = a - first;
        const float lost = (a - above) - first;
        const float positive = a < all ? above + (lost - rest[i]) : a;
        y[i] = opmill_odd_result_float(x[i], x[i] >> 31 != 0 ? first + rest[i] : positive);
    }
}

OPMILL_INLINE void gelu_block(int32_t isa, const opmill_bits32 *restrict x,
                              opmill_bits32 *restrict y, int64_t count) {
    times_factor_block(isa, &gelu_pieces, 0.1875f, 7.5f, x, y, count);
    COMPUTE_ABOVE(gelu, 0xffffffffu, 0xc0bdffffu) /* -5.9375 */
}

OPMILL_INLINE void gelu_tanh_block(int32_t isa, const opmill_bits32 *restrict x,
                                   opmill_bits32 *restrict y, int64_t count) {
    times_factor_block(isa, &gelu_tanh_pieces, 0.1875f, 7.5f, x, y, count);
    COMPUTE_ABOVE(gelu_tanh, 0xffffffffu, 0xc085ffffu) /* -4.1875 */
}

OPMILL_INLINE void silu_block(int32_t isa, const opmill_bits32 *restrict x,
                              opmill_bits32 *restrict y, int64_t count) {
    times_factor_block(isa, &silu_pieces, 0.375f, INFINITY, x, y, count);
    COMPUTE_ABOVE(silu, 0x7fffffffu, 0x417dffffu) /* 15.875 */
}

#define FUNCTIONS(LOOP) LOOP(mish)
#define FUNCTIONS_BY_BLOCKS(LOOP) LOOP(sigmoid) LOOP(softplus) LOOP(gelu) LOOP(gelu_tanh) LOOP(silu)
#include "runtime/math/loops.h"

/* The loops with parameters. */
#define DEFINE_LOOP(function, kind, set, bits, value_of_bits)                              \
    static void function##_##kind##_##set(const void *from, void *to, int64_t count,       \
                                          double alpha, double gamma) {                    \
        const bits *restrict x = from;                                                     \
        bits *restrict y = to;                                                             \
        for (int64_t i = 0; i < count; i++) {                                              \
            y[i] = opmill_result_##kind(                                                   \
                x[i], (kind)opmill_##function##_##kind(value_of_bits(x[i]), alpha, gamma)); \
        }                                                                                  \
    }
#define opmill_any_swish_float opmill_swish_float
#define opmill_any_swish_double opmill_swish_double
/* swish with an alpha of 1 is silu. */
#define DEFINE_SWISH(kind, set)                                                            \
    static void swish_##kind##_##set(const void *from, void *to, int64_t count,            \
                                     double alpha, double gamma) {                         \
        if (alpha == 1) {                                                                  \
            silu_##kind##_##set(from, to, count);                                          \
        } else {                                                                           \
            any_swish_##kind##_##set(from, to, count, alpha, gamma);                       \
        }                                                                                  \
    }
#define DEFINE_LOOPS(set)                                              \
    DEFINE_LOOP(elu, float, set, opmill_bits32, opmill_float_of_bits)  \
    DEFINE_LOOP(elu, double, set, opmill_bits64, opmill_double)        \
    DEFINE_LOOP(celu, float, set, opmill_bits32, opmill_float_of_bits) \
    DEFINE_LOOP(celu, double, set, opmill_bits64, opmill_double)       \
    DEFINE_LOOP(any_swish, float, set, opmill_bits32, opmill_float_of_bits) \
    DEFINE_LOOP(any_swish, double, set, opmill_bits64, opmill_double)   \
    DEFINE_SWISH(float, set)                                           \
    DEFINE_SWISH(double, set)

DEFINE_LOOPS(baseline)
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
DEFINE_LOOPS(avx2)
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
DEFINE_LOOPS(avx512)
OPMILL_TARGET_END
#endif

PICK(opmill_parameter_loop, elu)
PICK(opmill_parameter_loop, celu)
PICK(opmill_parameter_loop, swish)
