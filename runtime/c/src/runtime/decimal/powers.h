/* Powers of ten to 128 bits, and the arithmetic of integers of 192 bits that goes with them. */
#ifndef OPMILL_DECIMAL_POWERS_H
#define OPMILL_DECIMAL_POWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/platform/platform.h"

enum {
    OPMILL_DECIMAL_MIN_POWER = -352,
    OPMILL_DECIMAL_MAX_POWER = 335,
    OPMILL_DECIMAL_EXACT_POWER = 55 /* 5^55 is the last one of at most 128 bits */
};

typedef struct opmill_wide {
    uint64_t high, middle, low;
} opmill_wide;

/* The first 128 bits of 10^power, in `high` and `middle`; the first one is set. They are exact from
 * 10^0 to 10^OPMILL_DECIMAL_EXACT_POWER. Other powers are larger than that, by less than 4. */
opmill_wide opmill_decimal_power(int32_t power);

/* floor(log2(10^power)), the exponent of the first of those bits. */
int32_t opmill_decimal_log2(int32_t power);

static inline bool opmill_decimal_is_exact(int32_t power) {
    return power >= 0 && power <= OPMILL_DECIMAL_EXACT_POWER;
}

/* Of a number other than 0. */
static inline int32_t opmill_leading_zeros(uint64_t x) {
#if OPMILL_GNU
    return __builtin_clzll(x);
#else
    int32_t zeros = 0;
    for (; x >> 63 == 0; x <<= 1) {
        zeros++;
    }
    return zeros;
#endif
}

/* The upper half of a product of 64 bits each, and the lower one. */
static inline uint64_t opmill_times(uint64_t a, uint64_t b, uint64_t *low) {
#if OPMILL_GNU && defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 both;
    const both product = (both)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    const uint64_t mask = UINT64_C(0xFFFFFFFF);
    const uint64_t low_low = (a & mask) * (b & mask), high_low = (a >> 32) * (b & mask);
    const uint64_t low_high = (a & mask) * (b >> 32), high_high = (a >> 32) * (b >> 32);
    const uint64_t carry = (low_low >> 32) + (high_low & mask) + low_high;
    *low = carry << 32 | (low_low & mask);
    return high_high + (high_low >> 32) + (carry >> 32);
#endif
}

/* The product of a number of 128 bits and one of 64. */
static inline opmill_wide opmill_wide_times(uint64_t high, uint64_t low, uint64_t factor) {
    opmill_wide product;
    uint64_t upper_low;
    const uint64_t lower_high = opmill_times(low, factor, &product.low);
    product.high = opmill_times(high, factor, &upper_low);
    product.middle = upper_low + lower_high;
    product.high += product.middle < lower_high;
    return product;
}

#endif
