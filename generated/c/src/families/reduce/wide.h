/* Integers of 128 bits, for the exact sums of 64-bit ones; standard C has none. */
#ifndef OPMILL_REDUCE_WIDE_H
#define OPMILL_REDUCE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/platform/platform.h"

/* high 2^64 + low; two's complement. */
typedef struct opmill_wide {
    uint64_t low;
    uint64_t high;
} opmill_wide;

OPMILL_INLINE opmill_wide opmill_wide_of_signed(int64_t x) {
    const opmill_wide wide = {(uint64_t)x, x < 0 ? UINT64_MAX : 0};
    return wide;
}

OPMILL_INLINE opmill_wide opmill_wide_of_unsigned(uint64_t x) {
    const opmill_wide wide = {x, 0};
    return wide;
}

OPMILL_INLINE opmill_wide opmill_wide_sum(opmill_wide a, opmill_wide b) {
    const uint64_t low = a.low + b.low;
    const opmill_wide sum = {low, a.high + b.high + (low < a.low)};
    return sum;
}

/* The same of unsigned numbers, at most 2^128 - 1. */
OPMILL_INLINE opmill_wide opmill_wide_sum_at_most(opmill_wide a, opmill_wide b) {
    const opmill_wide sum = opmill_wide_sum(a, b);
    const bool beyond = sum.high < a.high || (sum.high == a.high && sum.low < a.low);
    const opmill_wide largest = {UINT64_MAX, UINT64_MAX};
    return beyond ? largest : sum;
}

OPMILL_INLINE opmill_wide opmill_wide_square(uint64_t x) {
    const uint64_t low = x & UINT32_MAX, high = x >> 32, middle = low * high;
    const opmill_wide ends = {low * low, high * high};
    const opmill_wide twice = {middle << 33, middle >> 31};
    return opmill_wide_sum(ends, twice);
}

/* The root of an unsigned number, truncated. */
static inline uint64_t opmill_wide_root(opmill_wide x) {
    uint64_t root = 0;
    for (int bit = x.high != 0 ? 63 : 31; bit >= 0; bit--) {
        const uint64_t larger = root | UINT64_C(1) << bit;
        const opmill_wide square = opmill_wide_square(larger);
        if (square.high < x.high || (square.high == x.high && square.low <= x.low)) {
            root = larger;
        }
    }
    return root;
}

/* The low 64 bits of x / count, truncated; the quotient is one of 64-bit integers' mean, so that it
 * fits, as the magnitude of x is below count 2^64. */
static inline uint64_t opmill_wide_quotient(opmill_wide x, uint64_t count) {
    const bool negative = x.high >> 63 != 0;
    const uint64_t low = negative ? 0 - x.low : x.low;
    uint64_t rest = negative ? ~x.high + (x.low == 0) : x.high;
    uint64_t quotient = 0;
    if (rest == 0) {
        quotient = low / count;
    } else {
        for (int bit = 63; bit >= 0; bit--) { /* rest stays below count, which is below 2^63 */
            rest = rest << 1 | (low >> bit & 1u);
            quotient <<= 1;
            if (rest >= count) {
                rest -= count;
                quotient |= 1u;
            }
        }
    }
    return negative ? 0 - quotient : quotient;
}

#endif
