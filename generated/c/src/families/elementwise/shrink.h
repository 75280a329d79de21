/* Shrink of integers: SHRUNK_SIGNED(x, bias, lambd) and SHRUNK_UNSIGNED. The sum of an integer and
 * `bias`, a finite float, is exact, truncated toward zero, and wraps around. */
#ifndef OPMILL_ELEMENTWISE_SHRINK_H
#define OPMILL_ELEMENTWISE_SHRINK_H

#include <math.h>
#include <stdint.h>

#include "families/elementwise/order.h"

/* The integer part of a sum, modulo 2^64. */
static inline uint64_t opmill_wrapped(double whole) {
    const double low = fmod(whole, 0x1p64);
    return low < 0 ? 0 - (uint64_t)-low : (uint64_t)low;
}

/* A sum that is not whole is rounded toward zero, from the floor or the ceiling that x + whole is.
 */
#define DEFINE_SHRINK(kind, wide)                                                               \
    static inline uint64_t opmill_sum_##kind(wide x, double bias) {                             \
        const double whole = trunc(bias), rest = bias - whole;                                  \
        const uint64_t sum = (uint64_t)x + opmill_wrapped(whole);                               \
        return rest < 0 && opmill_above_##kind(x, -whole)   ? sum - 1                           \
               : rest > 0 && opmill_below_##kind(x, -whole) ? sum + 1                           \
                                                            : sum;                              \
    }                                                                                           \
    static inline uint64_t opmill_shrunk_##kind(wide x, double bias, double lambd) {            \
        return opmill_below_##kind(x, -lambd)  ? opmill_sum_##kind(x, bias)                     \
               : opmill_above_##kind(x, lambd) ? opmill_sum_##kind(x, -bias)                    \
                                               : 0;                                             \
    }
DEFINE_SHRINK(signed, int64_t)
DEFINE_SHRINK(unsigned, uint64_t)
#undef DEFINE_SHRINK

#define SHRUNK_SIGNED(x, bias, lambd) ((int64_t)opmill_shrunk_signed(x, bias, lambd))
#define SHRUNK_UNSIGNED(x, bias, lambd) (opmill_shrunk_unsigned(x, bias, lambd))

#endif
