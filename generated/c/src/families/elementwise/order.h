/* Integers beside floats, compared exactly. */
#ifndef OPMILL_ELEMENTWISE_ORDER_H
#define OPMILL_ELEMENTWISE_ORDER_H

#include <math.h>
#include <stdint.h>

/* True if an integer is below, or above, any number; a NaN is neither. */
static inline int opmill_below_signed(int64_t x, double limit) {
    const double whole = ceil(limit);
    return whole >= 0x1p63 || (whole >= -0x1p63 && x < (int64_t)whole);
}

static inline int opmill_below_unsigned(uint64_t x, double limit) {
    const double whole = ceil(limit);
    return whole >= 0x1p64 || (whole > 0 && x < (uint64_t)whole);
}

static inline int opmill_above_signed(int64_t x, double limit) {
    const double whole = floor(limit);
    return whole < -0x1p63 || (whole < 0x1p63 && x > (int64_t)whole);
}

static inline int opmill_above_unsigned(uint64_t x, double limit) {
    const double whole = floor(limit);
    return whole < 0 || (whole < 0x1p64 && x > (uint64_t)whole);
}

#endif
