/* sinh, cosh, tanh and their inverses over runs of elements. */
#include "runtime/math/hyperbolic.h"

#include "runtime/math/pieces.h"

OPMILL_PIECES_OF(tanh, OPMILL_PIECES_TANH)

/* Octaves from 2^-4; from 10 on, tanh is 1. */
static const opmill_pieces tanh_pieces = {.rows = tanh_rows,
                                          .columns = tanh_columns,
                                          .count = 32,
                                          .shift = 21,
                                          .low = 0x3d800000,
                                          .high = 0x41200000};

OPMILL_INLINE void tanh_block(int32_t isa, const opmill_bits32 *restrict x,
                              opmill_bits32 *restrict y, int64_t count) {
    float value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
    opmill_pieces_run(isa, &tanh_pieces, x, value, rest, count);
    for (int64_t i = 0; i < count; i++) {
        const float a = opmill_float_of_bits(x[i] & 0x7fffffffu);
        y[i] = opmill_odd_result_float(x[i], (a < 0x1p-3f ? a : value[i]) + rest[i]);
    }
}

#define FUNCTIONS(LOOP) LOOP(sinh) LOOP(cosh) LOOP(asinh) LOOP(acosh) LOOP(atanh)
#define FUNCTIONS_BY_BLOCKS(LOOP) LOOP(tanh)
#include "runtime/math/loops.h"
