/* Activations of networks over runs of elements. */
#include "runtime/math/activation.h"

#include "runtime/math/nan.h"
#include "runtime/math/pieces.h"
#include "runtime/numbers/used_types.h"

OPMILL_PIECES_OF(sigmoid, OPMILL_PIECES_SIGMOID)
OPMILL_PIECES_OF(softplus, OPMILL_PIECES_SOFTPLUS)
OPMILL_PIECES_OF(gelu, OPMILL_PIECES_GELU)
OPMILL_PIECES_OF(gelu_tanh, OPMILL_PIECES_GELU_TANH)
OPMILL_PIECES_OF(silu, OPMILL_PIECES_SILU)

OPMILL_PIECES_EVENLY(sigmoid, 32, 0x417bffff, 0x1p22f) /* below 15.75 */
OPMILL_PIECES_EVENLY(softplus, 32, 0x417bffff, 0x1p22f)
OPMILL_PIECES_EVENLY(silu, 64, 0x417dffff, 0x1p21f) /* below 15.875 */
OPMILL_PIECES_EVENLY(gelu, 64, 0x40fdffff, 0x1p20f) /* below 7.9375 */
OPMILL_PIECES_EVENLY(gelu_tanh, 64, 0x40fdffff, 0x1p20f)

/* s(-a) for negative x, 1 - s(-a) for others. */
OPMILL_INLINE void sigmoid_block(int32_t isa, const opmill_bits32 *restrict x,
                                 opmill_bits32 *restrict y, int64_t count) {
    float OPMILL_LINES value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
    opmill_pieces_run(isa, &sigmoid_pieces, x, value, rest, count);
    for (int64_t i = 0; i < count; i++) {
        const float above = 1 - value[i];
        const float lost = (1 - above) - value[i];
        const float negative = value[i] + rest[i];
        const float positive = above + (lost - rest[i]);
        y[i] = opmill_float_bits(x[i] >> 31 != 0 ? negative : positive);
    }
    OPMILL_COMPUTE_ABOVE(sigmoid, 0x7fffffffu, 0x417bffffu) /* 15.75 */
}

/* log(1 + exp(-a)), and for positive x, a more: from 15.75 on, x. */
OPMILL_INLINE void softplus_block(int32_t isa, const opmill_bits32 *restrict x,
                                  opmill_bits32 *restrict y, int64_t count) {
    float OPMILL_LINES value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
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
    OPMILL_COMPUTE_ABOVE(softplus, 0xffffffffu, 0xc17bffffu) /* -15.75 */
}

/* x times a factor that increases from 0 to 1 and is 1/2 at 0: the pieces give the magnitude for
 * negative x, and that less than x for others. Up to `half` the value is a / 2; from `all` on, x.
 */
OPMILL_INLINE void times_factor_block(int32_t isa, const opmill_pieces *pieces, float half,
                                      float all, const opmill_bits32 *restrict x,
                                      opmill_bits32 *restrict y, int64_t count) {
    float OPMILL_LINES value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
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
    OPMILL_COMPUTE_ABOVE(gelu, 0xffffffffu, 0xc0bdffffu) /* -5.9375 */
}

OPMILL_INLINE void gelu_tanh_block(int32_t isa, const opmill_bits32 *restrict x,
                                   opmill_bits32 *restrict y, int64_t count) {
    times_factor_block(isa, &gelu_tanh_pieces, 0.1875f, 7.5f, x, y, count);
    OPMILL_COMPUTE_ABOVE(gelu_tanh, 0xffffffffu, 0xc085ffffu) /* -4.1875 */
}

OPMILL_INLINE void silu_block(int32_t isa, const opmill_bits32 *restrict x,
                              opmill_bits32 *restrict y, int64_t count) {
    times_factor_block(isa, &silu_pieces, 0.375f, INFINITY, x, y, count);
    OPMILL_COMPUTE_ABOVE(silu, 0x7fffffffu, 0x417dffffu) /* 15.875 */
}

/* True if all doubles lie within 708 of 0. Their results are written in the same pass. */
OPMILL_INLINE bool sigmoid_usual_double(const opmill_bits64 *restrict x, opmill_bits64 *restrict y,
                                        int64_t count) {
    uint64_t any = 0;
    for (int64_t i = 0; i < count; i++) {
        const double value = opmill_double(x[i]);
        const double e = opmill_exp_usual_double(-opmill_magnitude(value));
        any |= opmill_beyond_double(x[i], 708);
        y[i] = opmill_bits(opmill_sigmoid_of_exp(value, e));
    }
    return any >> 63 == 0;
}

#define USUAL(call) call
#define mish_usual_float(x, y, count) false
#define mish_usual_double(x, y, count) false
#define softplus_usual_double(x, y, count) false
#define gelu_usual_double(x, y, count) false
#define gelu_tanh_usual_double(x, y, count) false
#define silu_usual_double(x, y, count) false

#define HAS_DOUBLES OPMILL_USES(DOUBLE)
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
