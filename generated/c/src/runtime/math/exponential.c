/* exp and expm1 over runs of elements. */
#include "runtime/math/exponential.h"

#include <stdbool.h>

#include "runtime/math/math.h"

/* Whether all arguments lie within 87 of 0, and their exponentials are written then. */
OPMILL_INLINE bool exp_usual_float(const opmill_bits32 *restrict x, opmill_bits32 *restrict y,
                                   int64_t count) {
    uint32_t largest = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t magnitude = x[i] & 0x7fffffffu;
        largest = magnitude > largest ? magnitude : largest;
    }
    if (largest > 0x42ae0000u) { /* 87 */
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        y[i] = opmill_float_bits(opmill_exp_float_usual(opmill_float_of_bits(x[i])));
    }
    return true;
}

/* The others have one computation for all arguments. */
#define exp_usual_double(x, y, count) false
#define expm1_usual_float(x, y, count) false
#define expm1_usual_double(x, y, count) false
#define USUAL(call) call

#define FUNCTIONS(LOOP) LOOP(exp) LOOP(expm1)
#include "runtime/math/loops.h"
