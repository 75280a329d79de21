/* Divisions of integers, which are defined for every a and b: QUOTIENT(a, b), truncated toward
 * zero.
 *
 * The least integer by -1 wraps around to itself, as if it were divided by 1; so is what is divided
 * by 0, which occurs in parts of vectors whose results are not read. Narrow integers are divided as
 * floating numbers that hold the quotient exactly enough, in vectors: of integers of n bits, a
 * quotient that is not whole differs from the next integer by 2^-n of itself. */
#ifndef OPMILL_ELEMENTWISE_BINARY_DIVISION_H
#define OPMILL_ELEMENTWISE_BINARY_DIVISION_H

#include <stdint.h>

#define DEFINE_SIGNED(name, type, min, real, whole)                     \
    static inline type divisor_##name(type a, type b) {                   \
        return (type)(((b == 0) | ((b == -1) & (a == (min)))) ? 1 : b); \
    }                                                                     \
    static inline type quotient_##name(type a, type b) {                  \
        return (type)(whole)((real)a / (real)divisor_##name(a, b));       \
    }

#define DEFINE_UNSIGNED(name, type, real, whole)                          \
    static inline type quotient_##name(type a, type b) {                  \
        return (type)(whole)((real)a / (real)(b == 0 ? 1 : b));           \
    }

DEFINE_SIGNED(int8, int8_t, INT8_MIN, float, int32_t)
DEFINE_SIGNED(int16, int16_t, INT16_MIN, float, int32_t)
DEFINE_SIGNED(int32, int32_t, INT32_MIN, double, int32_t)
DEFINE_SIGNED(int64, int64_t, INT64_MIN, int64_t, int64_t)
DEFINE_UNSIGNED(uint8, uint8_t, float, int32_t)
DEFINE_UNSIGNED(uint16, uint16_t, float, int32_t)
DEFINE_UNSIGNED(uint32, uint32_t, double, uint32_t)
DEFINE_UNSIGNED(uint64, uint64_t, uint64_t, uint64_t)

#undef DEFINE_UNSIGNED
#undef DEFINE_SIGNED

/* clang-format off */
#define OF_ITS_TYPE(function, a) _Generic((a), \
    int8_t: function##_int8, int16_t: function##_int16, \
    int32_t: function##_int32, int64_t: function##_int64, \
    uint8_t: function##_uint8, uint16_t: function##_uint16, \
    uint32_t: function##_uint32, uint64_t: function##_uint64)
/* clang-format on */
#define QUOTIENT(a, b) OF_ITS_TYPE(quotient, a)(a, b)

#endif
