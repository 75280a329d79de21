/* int64 arithmetic. Functions that notice overflow store the result and return false, or return
 * true where the result does not fit. */
#ifndef OPMILL_INTEGERS_H
#define OPMILL_INTEGERS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/platform/platform.h"

/* Sums and products in standard C, for compilers without checked arithmetic of their own. */
static inline bool opmill_add_standard(int64_t a, int64_t b, int64_t *result) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
        return true;
    }
    *result = a + b;
    return false;
}

static inline bool opmill_sub_standard(int64_t a, int64_t b, int64_t *result) {
    if (b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b) {
        return true;
    }
    *result = a - b;
    return false;
}

static inline bool opmill_mul_standard(int64_t a, int64_t b, int64_t *result) {
    if (a > 0) {
        if (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a) {
            return true;
        }
    } else if (b > 0) {
        if (a < INT64_MIN / b) {
            return true;
        }
    } else if (a != 0 && b < INT64_MAX / a) {
        return true;
    }
    *result = a * b;
    return false;
}

static inline bool opmill_add(int64_t a, int64_t b, int64_t *result) {
#if OPMILL_GNU
    return __builtin_add_overflow(a, b, result);
#else
    return opmill_add_standard(a, b, result);
#endif
}

static inline bool opmill_sub(int64_t a, int64_t b, int64_t *result) {
#if OPMILL_GNU
    return __builtin_sub_overflow(a, b, result);
#else
    return opmill_sub_standard(a, b, result);
#endif
}

static inline bool opmill_mul(int64_t a, int64_t b, int64_t *result) {
#if OPMILL_GNU
    return __builtin_mul_overflow(a, b, result);
#else
    return opmill_mul_standard(a, b, result);
#endif
}

/* Arithmetic that cannot overflow. */
static inline int64_t opmill_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t opmill_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* The quotient rounded towards minus infinity, and what it leaves over; b is at least 1. */
static inline int64_t opmill_quotient(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

static inline int64_t opmill_remainder(int64_t a, int64_t b) {
    const int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

#endif
