/* erf and erfc over runs of elements. */
#include "runtime/math/error_function.h"

#include "runtime/math/pieces.h"
#include "runtime/numbers/used_types.h"

OPMILL_PIECES_OF(erf, OPMILL_PIECES_ERF)

/* Octaves from 2^-5; from 4 on, erf is 1. */
static const opmill_pieces erf_pieces = {.rows = erf_rows,
                                         .columns = erf_columns,
                                         .count = 32,
                                         .shift = 21,
                                         .low = 0x3d000000,
                                         .high = 0x40800000};

OPMILL_INLINE void erf_block(int32_t isa, const opmill_bits32 *restrict x,
                             opmill_bits32 *restrict y, int64_t count) {
    float OPMILL_LINES value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
    opmill_pieces_run(isa, &erf_pieces, x, value, rest, count);
    for (int64_t i = 0; i < count; i++) {
        const float a = opmill_float_of_bits(x[i] & 0x7fffffffu);
        y[i] = opmill_odd_result_float(x[i], (a < 0x1p-4f ? a : value[i]) + rest[i]);
    }
}

#define HAS_DOUBLES OPMILL_USES(DOUBLE)
#define FUNCTIONS(LOOP) LOOP(erfc)
#define FUNCTIONS_BY_BLOCKS(LOOP) LOOP(erf)
#include "runtime/math/loops.h"
