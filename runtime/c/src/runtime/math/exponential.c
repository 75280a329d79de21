/* exp and expm1 over runs of elements. */
#include "runtime/math/exponential.h"

#include <stdbool.h>

#include "runtime/math/math.h"

/* True if all arguments lie within 87 of 0, and their exponentials are written then. */
OPMILL_INLINE bool exp_usual_float(const opmill_bits32 *restrict x, opmill_bits32 *restrict y,
                                   int64_t count) {
    opmill_exp_float_block block;
    uint32_t largest = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t magnitude = x[i] & 0x7fffffffu;
        largest = magnitude > largest ? magnitude : largest;
    }
    if (largest > 0x42ae0000u) { /* 87 */
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        opmill_exp_float_block_put(&block, i, opmill_exp_float_split(opmill_float_of_bits(x[i])));
    }
    for (int64_t i = 0; i < count; i++) {
        y[i] = opmill_float_bits(
            opmill_exp_float_of_usual_parts(opmill_exp_float_block_get(&block, i)));
    }
    return true;
}

/* True if all doubles lie within 708 of 0. Their exponentials are written in the same pass. */
OPMILL_INLINE bool exp_usual_double(const opmill_bits64 *restrict x, opmill_bits64 *restrict y,
                                    int64_t count) {
    uint64_t any = 0;
    for (int64_t i = 0; i < count; i++) {
        any |= opmill_beyond_double(x[i], 708);
        y[i] = opmill_bits(opmill_exp_usual_double(opmill_double(x[i])));
    }
    return any >> 63 == 0;
}

/* The others have one computation for all arguments. */
#define expm1_usual_float(x, y, count) false
#define expm1_usual_double(x, y, count) false
#define USUAL(call) call

#define FUNCTIONS(LOOP) LOOP(exp) LOOP(expm1)
#include "runtime/math/loops.h"
