/* The function of each element type, of_<name>(x), from what the kernel that includes this defines:
 * the expressions OF_REAL, OF_BITS and so on, which rows.yaml explains; RESULT(type), what becomes
 * of an element; PARAMETERS(type), the operands that the expressions name. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/elementwise/elementwise.h"
#include "runtime/numbers/elements.h"
#include "runtime/elementwise/elementwise_types.h"
#include "runtime/numbers/halves.h"
#include "runtime/numbers/used_types.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"

/* The nearest whole number, of two the even one. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
/* Sums with the first number whose neighbours are 1 apart are rounded to whole numbers. */
#define DEFINE_ROUND(type, absolute, with_sign, first)                                         \
    static inline type opmill_round_##type(type x) {                                           \
        const type magnitude = absolute(x), rounded = (magnitude + first) - first;             \
        return with_sign(magnitude < first ? rounded : magnitude, x);                          \
    }
DEFINE_ROUND(float, fabsf, copysignf, 0x1p23f)
DEFINE_ROUND(double, fabs, copysign, 0x1p52)
#else
/* Where sums have more bits than their type, in steps that are exact. */
#define DEFINE_ROUND(type, absolute, down, with_sign)                                          \
    static inline type opmill_round_##type(type x) {                                           \
        const type magnitude = absolute(x), low = down(magnitude), rest = magnitude - low;     \
        const type half = low * (type)0.5, odd = down(half) == half ? 0 : 1;                   \
        return with_sign(low + (rest > (type)0.5 ? 1 : rest == (type)0.5 ? odd : 0), x);       \
    }
DEFINE_ROUND(float, fabsf, floorf, copysignf)
DEFINE_ROUND(double, fabs, floor, copysign)
#endif

#define DEFINE_FUNCTION(name, element, computed, operand, expression, labels) \
    static inline RESULT(element) of_##name(computed x PARAMETERS(operand)) { \
        return (RESULT(element))(expression);                                 \
    }
NUMBERS(DEFINE_FUNCTION)

#ifdef OF_BITS
#define DEFINE_BITS(name, element, of_sign, of_infinity)                     \
    static inline RESULT(element) of_##name(element x PARAMETERS(element)) { \
        const element sign = of_sign, infinity = of_infinity;                \
        (void)sign;                                                          \
        (void)infinity;                                                      \
        return (RESULT(element))(OF_BITS);                                   \
    }
DEFINE_BITS(bits32, opmill_bits32, 0x80000000u, 0x7f800000u)
DEFINE_BITS(bits64, opmill_bits64, UINT64_C(0x8000000000000000), UINT64_C(0x7ff0000000000000))
DEFINE_BITS(bits_float16, uint16_t, 0x8000u, 0x7c00u)
DEFINE_BITS(bits_bfloat16, uint16_t, 0x8000u, 0x7f80u)
#define BITS(LOOP)                                                                     \
    LOOP(bits32, opmill_bits32, opmill_bits32, opmill_bits32, OF_BITS, case OPMILL_FLOAT)  \
    LOOP(bits64, opmill_bits64, opmill_bits64, opmill_bits64, OF_BITS, case OPMILL_DOUBLE) \
    LOOP(bits_float16, uint16_t, uint16_t, uint16_t, OF_BITS, case OPMILL_FLOAT16)     \
    LOOP(bits_bfloat16, uint16_t, uint16_t, uint16_t, OF_BITS, case OPMILL_BFLOAT16)
#else
#define BITS(LOOP)
#endif

/* The bits of the 8-bit types. */
#ifdef OF_FLOAT8E5M2
#define BYTES(LOOP)                                                                            \
    LOOP(float8e4m3fn, uint8_t, uint8_t, uint8_t, OF_FLOAT8E4M3FN, case OPMILL_FLOAT8E4M3FN)   \
    LOOP(float8e5m2, uint8_t, uint8_t, uint8_t, OF_FLOAT8E5M2, case OPMILL_FLOAT8E5M2)         \
    LOOP(float8fnuz, uint8_t, uint8_t, uint8_t, OF_FLOAT8FNUZ,                                 \
         case OPMILL_FLOAT8E4M3FNUZ: case OPMILL_FLOAT8E5M2FNUZ)
BYTES(DEFINE_FUNCTION)
#else
#define BYTES(LOOP)
#endif

/* The names of what OF_RUN computes, and the elements of a 16-bit format that it widens at once. */
#ifdef OF_RUN
#define RUNS(LOOP) LOOP(run_float, OPMILL_FLOAT, float) LOOP(run_double, OPMILL_DOUBLE, double)
#define HALF_RUNS(LOOP) LOOP(float16, OPMILL_FLOAT16) LOOP(bfloat16, OPMILL_BFLOAT16)
enum { RUN = OPMILL_ON_STACK(256, 64) };
#else
#define RUNS(LOOP)
#define HALF_RUNS(LOOP)
#endif
