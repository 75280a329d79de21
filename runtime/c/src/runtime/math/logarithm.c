/* log and log1p over runs of elements. */
#include "runtime/math/logarithm.h"

#include <stdbool.h>

#include "runtime/math/math.h"

/* True if all arguments are positive normal numbers, and their logarithms are written then. */
OPMILL_INLINE bool log_usual_float(const opmill_bits32 *restrict x, opmill_bits32 *restrict y,
                                   int64_t count) {
    uint32_t largest = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t above = x[i] - 0x00800000u; /* 2^-126; smaller ones wrap around */
        largest = above > largest ? above : largest;
    }
    if (largest >= 0x7f000000u) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        y[i] = opmill_float_bits(opmill_log_normal_in_float(opmill_float_of_bits(x[i]), 0));
    }
    return true;
}

/* In two passes: processors overlap more elements of two short computations. */
OPMILL_INLINE bool log_usual_double(const opmill_bits64 *restrict x, opmill_bits64 *restrict y,
                                    int64_t count) {
    double OPMILL_LINES f[OPMILL_MATH_BLOCK], k[OPMILL_MATH_BLOCK];
    uint64_t any = 0;
    for (int64_t i = 0; i < count; i++) {
        const opmill_split split = opmill_log_split_normal(opmill_double(x[i]));
        /* One of the differences is negative below 2^-1022 and above the largest number. */
        any |= (x[i] - UINT64_C(0x0010000000000000)) | (UINT64_C(0x7fefffffffffffff) - x[i]);
        f[i] = split.f;
        k[i] = split.k;
    }
    if (any >> 63 != 0) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        const opmill_split split = {f[i], k[i]};
        y[i] = opmill_bits(opmill_log_of_split(split, 0));
    }
    return true;
}

/* The others have one computation for all arguments. */
#define log1p_usual_float(x, y, count) false
#define log1p_usual_double(x, y, count) false
#define USUAL(call) call

#define FUNCTIONS(LOOP) LOOP(log) LOOP(log1p)
#include "runtime/math/loops.h"
