/* pow over runs of elements. */
#include "runtime/math/power.h"

#include "opmill/isa.h"
#include "runtime/math/math.h"
#include "runtime/math/nan.h"

/* The loops of one instruction set: each operand has an element for each result, or one for all. */
#define DEFINE_LOOP(kind, set, bits)                                        \
    static void pow_##kind##_##set(const void *a, bool a_is_one, const void *b, bool b_is_one, \
                                   void *to, int64_t count) {                              \
        const bits *restrict x = a;                                                        \
        const bits *restrict y = b;                                                        \
        bits *restrict z = to;                                                             \
        if (b_is_one) {                                                                    \
            const bits one = *y;                                                           \
            const int64_t step = !a_is_one;                                                \
            for (int64_t i = 0; i < count; i++) {                                          \
                z[i] = opmill_pow_##kind##_bits(x[i * step], one);                         \
            }                                                                              \
        } else if (a_is_one) {                                                             \
            const bits one = *x;                                                           \
            for (int64_t i = 0; i < count; i++) {                                          \
                z[i] = opmill_pow_##kind##_bits(one, y[i]);                                \
            }                                                                              \
        } else {                                                                           \
            for (int64_t i = 0; i < count; i++) {                                          \
                z[i] = opmill_pow_##kind##_bits(x[i], y[i]);                               \
            }                                                                              \
        }                                                                                  \
    }
#define DEFINE_LOOPS(set)                                        \
    DEFINE_LOOP(float, set, opmill_bits32) \
    DEFINE_LOOP(double, set, opmill_bits64)

DEFINE_LOOPS(baseline)
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
DEFINE_LOOPS(avx2)
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
DEFINE_LOOPS(avx512)
OPMILL_TARGET_END
#endif

opmill_math_binary_loop *opmill_math_pow(int32_t type, int32_t isa) {
    const int wide = type == OPMILL_DOUBLE;
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return wide ? pow_double_avx512 : pow_float_avx512;
    }
    if (isa == OPMILL_ISA_AVX2) {
        return wide ? pow_double_avx2 : pow_float_avx2;
    }
#endif
    (void)isa;
    return wide ? pow_double_baseline : pow_float_baseline;
}
