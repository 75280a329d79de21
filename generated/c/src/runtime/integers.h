/* int64 arithmetic that notices overflow, and division that rounds as Python's does.
 *
 * Each function stores the result and returns false, or returns true where there is none to store:
 * it would overflow, or the divisor is 0. */
#ifndef OPMILL_INTEGERS_H
#define OPMILL_INTEGERS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/platform.h"

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

/* a // b, rounded toward minus infinity. */
static inline bool opmill_floor_div(int64_t a, int64_t b, int64_t *result) {
    if (b == 0 || (a == INT64_MIN && b == -1)) {
        return true;
    }
    *result = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return false;
}

/* a % b, with the sign of b. */
static inline bool opmill_floor_mod(int64_t a, int64_t b, int64_t *result) {
    int64_t rest;
    if (b == 0) {
        return true;
    }
    rest = b == -1 ? 0 : a % b; /* INT64_MIN % -1 is 0, but C leaves it undefined */
    *result = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    return false;
}

#endif
