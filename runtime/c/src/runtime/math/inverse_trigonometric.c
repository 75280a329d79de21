/* asin, acos and atan over runs of elements. */
#include "runtime/math/inverse_trigonometric.h"

#include "runtime/math/pieces.h"

OPMILL_PIECES_OF(atan, OPMILL_PIECES_ATAN)

/* Octaves from 2^-4 to 2^4. */
static const opmill_pieces atan_pieces = {.rows = atan_rows,
                                          .columns = atan_columns,
                                          .count = 32,
                                          .shift = 21,
                                          .low = 0x3d800000,
                                          .high = 0x417fffff};

OPMILL_INLINE void atan_block(int32_t isa, const opmill_bits32 *restrict x,
                              opmill_bits32 *restrict y, int64_t count) {
    float OPMILL_LINES value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
    opmill_pieces_run(isa, &atan_pieces, x, value, rest, count);
    for (int64_t i = 0; i < count; i++) {
        const float a = opmill_float_of_bits(x[i] & 0x7fffffffu);
        y[i] = opmill_odd_result_float(x[i], (a < 0x1p-3f ? a : value[i]) + rest[i]);
    }
    OPMILL_COMPUTE_ABOVE(atan, 0x7fffffffu, 0x417fffffu) /* 16 */
}

#define FUNCTIONS(LOOP) LOOP(asin) LOOP(acos)
#define FUNCTIONS_BY_BLOCKS(LOOP) LOOP(atan)
#include "runtime/math/loops.h"
