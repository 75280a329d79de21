/* Remainders: REMAINDER(a, b, truncates) is a - b q, where q is a / b, truncated or, where
 * truncates is 0, rounded down. Those of floats are exact but for the last addition; those of
 * integers are defined for every b, as division.h has it. */
#ifndef OPMILL_ELEMENTWISE_BINARY_REMAINDER_H
#define OPMILL_ELEMENTWISE_BINARY_REMAINDER_H

#include <math.h>
#include <stdint.h>

#include "families/elementwise_binary/division.h"

#define DEFINE_FLOATING(type, truncated, with_sign)                            \
    static inline type remainder_##type(type a, type b, type truncates) {      \
        const type rest = truncated(a, b);                                     \
        const type floored = rest == 0                  ? with_sign(rest, b)   \
                             : (rest < 0) != (b < 0) ? rest + b             \
                                                        : rest;                \
        return truncates != 0 ? rest : floored;                                \
    }
DEFINE_FLOATING(float, fmodf, copysignf)
DEFINE_FLOATING(double, fmod, copysign)

#define DEFINE_SIGNED(name, type)                                                       \
    static inline type remainder_##name(type a, type b, double truncates) {             \
        const type rest = (type)(a - quotient_##name(a, b) * divisor_##name(a, b));     \
        const int floors = (truncates == 0) & (rest != 0) & ((rest < 0) != (b < 0));    \
        return floors ? (type)(rest + b) : rest;                                        \
    }
#define DEFINE_UNSIGNED(name, type)                                                     \
    static inline type remainder_##name(type a, type b, double truncates) {             \
        (void)truncates;                                                                \
        return (type)(a - quotient_##name(a, b) * b);                                   \
    }
DEFINE_SIGNED(int8, int8_t)
DEFINE_SIGNED(int16, int16_t)
DEFINE_SIGNED(int32, int32_t)
DEFINE_SIGNED(int64, int64_t)
DEFINE_UNSIGNED(uint8, uint8_t)
DEFINE_UNSIGNED(uint16, uint16_t)
DEFINE_UNSIGNED(uint32, uint32_t)
DEFINE_UNSIGNED(uint64, uint64_t)

#undef DEFINE_UNSIGNED
#undef DEFINE_SIGNED
#undef DEFINE_FLOATING

#define REMAINDER(a, b, truncates) \
    _Generic((a), float: remainder_float, double: remainder_double, \
        int8_t: remainder_int8, int16_t: remainder_int16, \
        int32_t: remainder_int32, int64_t: remainder_int64, \
        uint8_t: remainder_uint8, uint16_t: remainder_uint16, \
        uint32_t: remainder_uint32, uint64_t: remainder_uint64)(a, b, truncates)

#endif
