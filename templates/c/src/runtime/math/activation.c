/* Activations of networks over runs of elements. */
#include "runtime/math/activation.h"

#define FUNCTIONS(LOOP) LOOP(sigmoid) LOOP(softplus) LOOP(mish) LOOP(gelu) LOOP(gelu_tanh)
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
#define DEFINE_LOOPS(set)                                              \
    DEFINE_LOOP(elu, float, set, opmill_bits32, opmill_float_of_bits)  \
    DEFINE_LOOP(elu, double, set, opmill_bits64, opmill_double)        \
    DEFINE_LOOP(celu, float, set, opmill_bits32, opmill_float_of_bits) \
    DEFINE_LOOP(celu, double, set, opmill_bits64, opmill_double)       \
    DEFINE_LOOP(swish, float, set, opmill_bits32, opmill_float_of_bits) \
    DEFINE_LOOP(swish, double, set, opmill_bits64, opmill_double)

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
