/* NaNs that are the same on every machine: that of an argument passes, made quiet; others have the
 * sign bit clear and no payload. */
#ifndef OPMILL_MATH_NAN_H
#define OPMILL_MATH_NAN_H

#include "runtime/math/arithmetic.h"

OPMILL_INLINE uint32_t opmill_result_float(uint32_t x, float y) {
    const uint32_t bits = opmill_float_bits(y);
    const uint32_t own = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
    return (x & 0x7fffffffu) > 0x7f800000u ? x | 0x00400000u : own;
}

OPMILL_INLINE uint64_t opmill_result_double(uint64_t x, double y) {
    const uint64_t infinity = UINT64_C(0x7ff0000000000000);
    const uint64_t bits = opmill_bits(y);
    const uint64_t own = (bits & ~OPMILL_SIGN_BIT) > infinity ? UINT64_C(0x7ff8000000000000) : bits;
    return (x & ~OPMILL_SIGN_BIT) > infinity ? x | UINT64_C(0x0008000000000000) : own;
}

#endif
