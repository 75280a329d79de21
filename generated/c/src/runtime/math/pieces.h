/* Functions of float as polynomials in pieces, which share no code with those of double.
 *
 * A piece has a center c, the value there, and six coefficients:
 *
 *     f(a) = value + rest,    rest = d (c1 + d (c2 + ...)),    d = a - c
 *
 * Both parts are returned: the function adds them, in an order that suits it, so that only the last
 * sum rounds in the last place. Near 0 a piece may have a center and a value of 0; what is to be
 * added to its rest is exact then, as x or x / 2. The pieces are in tables.h. */
#ifndef OPMILL_MATH_PIECES_H
#define OPMILL_MATH_PIECES_H

#include <stdbool.h>

#include "opmill/isa.h"
#include "runtime/elementwise/elementwise.h"
#include "runtime/math/arithmetic.h"
#include "runtime/math/nan.h"
#include "runtime/math/tables.h"

enum { OPMILL_PIECE_FLOATS = 8 };

typedef struct opmill_pieces {
    /* Each piece, and each column of them, as some processors read these and some those. */
    const float (*rows)[OPMILL_PIECE_FLOATS];
    const float *columns;
    /* 32 or 64 */
    int32_t count;
    /* The index is in the low bits of: the bits of magnitude + offset, at least `low`, >> shift. */
    int32_t shift;
    int32_t low;
    /* The bits of the largest magnitude, which takes the place of larger ones and of NaNs. */
    int32_t high;
    float offset;
} opmill_pieces;

/* Writes both parts for the magnitudes of `count` numbers, and up to 15 more of any value. */
typedef void opmill_pieces_function(const opmill_pieces *pieces, const opmill_bits32 *x,
                                    float *value, float *rest, int64_t count);
opmill_pieces_function opmill_pieces_baseline;
#if OPMILL_X86_64
opmill_pieces_function opmill_pieces_avx2;
opmill_pieces_function opmill_pieces_avx512;
#endif

OPMILL_INLINE void opmill_pieces_run(int32_t isa, const opmill_pieces *pieces,
                                     const opmill_bits32 *x, float *value, float *rest,
                                     int64_t count) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        opmill_pieces_avx512(pieces, x, value, rest, count);
        return;
    }
    if (isa == OPMILL_ISA_AVX2) {
        opmill_pieces_avx2(pieces, x, value, rest, count);
        return;
    }
#endif
    (void)isa;
    opmill_pieces_baseline(pieces, x, value, rest, count);
}

#define OPMILL_PIECE_ROW(c, v, c1, c2, c3, c4, c5, c6) {c, v, c1, c2, c3, c4, c5, c6},
#define OPMILL_PIECE_0(c, v, c1, c2, c3, c4, c5, c6) c,
#define OPMILL_PIECE_1(c, v, c1, c2, c3, c4, c5, c6) v,
#define OPMILL_PIECE_2(c, v, c1, c2, c3, c4, c5, c6) c1,
#define OPMILL_PIECE_3(c, v, c1, c2, c3, c4, c5, c6) c2,
#define OPMILL_PIECE_4(c, v, c1, c2, c3, c4, c5, c6) c3,
#define OPMILL_PIECE_5(c, v, c1, c2, c3, c4, c5, c6) c4,
#define OPMILL_PIECE_6(c, v, c1, c2, c3, c4, c5, c6) c5,
#define OPMILL_PIECE_7(c, v, c1, c2, c3, c4, c5, c6) c6,

/* The rows and columns of a table of tables.h. */
#define OPMILL_PIECES_OF(name, PIECES)                                                             \
    static const float name##_rows[][OPMILL_PIECE_FLOATS] = {PIECES(OPMILL_PIECE_ROW)};            \
    static const float name##_columns[] = {                                                        \
        PIECES(OPMILL_PIECE_0) PIECES(OPMILL_PIECE_1) PIECES(OPMILL_PIECE_2)                       \
            PIECES(OPMILL_PIECE_3) PIECES(OPMILL_PIECE_4) PIECES(OPMILL_PIECE_5)                   \
                PIECES(OPMILL_PIECE_6) PIECES(OPMILL_PIECE_7)};

/* Pieces around the multiples of 1/2, 1/4 or 1/8: adding the offset rounds to these. */
#define OPMILL_PIECES_EVENLY(name, pieces, largest, rounder)                                                \
    static const opmill_pieces name##_pieces = {.rows = name##_rows,                          \
                                                .columns = name##_columns,                    \
                                                .count = pieces,                              \
                                                .high = largest,                              \
                                                .offset = rounder};

/* True if the bits of any of `count` numbers are above a limit, those that `mask` keeps. */
OPMILL_INLINE bool opmill_any_above(const opmill_bits32 *x, int64_t count, uint32_t mask,
                                    uint32_t limit) {
    uint32_t largest = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t bits = x[i] & mask;
        largest = bits > largest ? bits : largest;
    }
    return largest > limit;
}

/* Beyond the pieces, results are computed in double: those of the arguments whose bits, as far as
 * `mask` keeps them, are above a limit. They are usually few: they are collected first. */
#define OPMILL_COMPUTE_ABOVE(function, mask, limit)                                                     \
    if (opmill_any_above(x, count, mask, limit)) {                                                      \
        uint32_t OPMILL_LINES positions[OPMILL_MATH_BLOCK], bits[OPMILL_MATH_BLOCK];                \
        int64_t found = 0;                                                                       \
        for (int64_t i = 0; i < count; i++) {                                                    \
            positions[found] = (uint32_t)i;                                                         \
            bits[found] = x[i];                                                                  \
            found += (x[i] & (mask)) > (limit);                                                  \
        }                                                                                        \
        for (int64_t i = 0; i < found; i++) {                                                    \
            const float argument = opmill_float_of_bits(bits[i]);                                \
            bits[i] = opmill_result_float(                                                       \
                bits[i], (float)opmill_##function##_float((double)argument));                    \
        }                                                                                        \
        for (int64_t i = 0; i < found; i++) {                                                    \
            y[positions[i]] = bits[i];                                                              \
        }                                                                                        \
    }

/* y with the sign of x; of a NaN x, that NaN. */
OPMILL_INLINE uint32_t opmill_odd_result_float(uint32_t x, float y) {
    const uint32_t magnitude = x & 0x7fffffffu;
    const uint32_t result = opmill_float_bits(y) | (x & 0x80000000u);
    return magnitude > 0x7f800000u ? x | 0x00400000u : result;
}

#endif
