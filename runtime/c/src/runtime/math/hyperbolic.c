/* sinh, cosh, tanh and their inverses over runs of elements. */
#include "runtime/math/hyperbolic.h"

#include "runtime/math/pieces.h"
#include "runtime/numbers/used_types.h"

OPMILL_PIECES_OF(tanh, OPMILL_PIECES_TANH)
OPMILL_PIECES_OF(sinh, OPMILL_PIECES_SINH)
OPMILL_PIECES_OF(cosh, OPMILL_PIECES_COSH)

/* Octaves from 2^-4; from 10 on, tanh is 1. */
static const opmill_pieces tanh_pieces = {.rows = tanh_rows,
                                          .columns = tanh_columns,
                                          .count = 32,
                                          .shift = 21,
                                          .low = 0x3d800000,
                                          .high = 0x41200000};

OPMILL_INLINE void tanh_block(int32_t isa, const opmill_bits32 *restrict x,
                              opmill_bits32 *restrict y, int64_t count) {
    float OPMILL_LINES value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
    opmill_pieces_run(isa, &tanh_pieces, x, value, rest, count);
    for (int64_t i = 0; i < count; i++) {
        const float a = opmill_float_of_bits(x[i] & 0x7fffffffu);
        y[i] = opmill_odd_result_float(x[i], (a < 0x1p-3f ? a : value[i]) + rest[i]);
    }
}

OPMILL_PIECES_EVENLY(sinh, 32, 0x40fbffff, 0x1p21f) /* below 7.875 */
OPMILL_PIECES_EVENLY(cosh, 32, 0x40fbffff, 0x1p21f)

OPMILL_INLINE void sinh_block(int32_t isa, const opmill_bits32 *restrict x,
                              opmill_bits32 *restrict y, int64_t count) {
    float OPMILL_LINES value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
    opmill_pieces_run(isa, &sinh_pieces, x, value, rest, count);
    for (int64_t i = 0; i < count; i++) {
        const float a = opmill_float_of_bits(x[i] & 0x7fffffffu);
        y[i] = opmill_odd_result_float(x[i], (a < 0.375f ? a : value[i]) + rest[i]);
    }
    OPMILL_COMPUTE_ABOVE(sinh, 0x7fffffffu, 0x40fbffffu)
}

OPMILL_INLINE void cosh_block(int32_t isa, const opmill_bits32 *restrict x,
                              opmill_bits32 *restrict y, int64_t count) {
    float OPMILL_LINES value[OPMILL_MATH_BLOCK], rest[OPMILL_MATH_BLOCK];
    opmill_pieces_run(isa, &cosh_pieces, x, value, rest, count);
    for (int64_t i = 0; i < count; i++) {
        y[i] = opmill_float_bits(value[i] + rest[i]);
    }
    OPMILL_COMPUTE_ABOVE(cosh, 0x7fffffffu, 0x40fbffffu)
}

/* True if all doubles lie within 350 of 0. Their results are written in the same pass. */
OPMILL_INLINE bool tanh_usual_double(const opmill_bits64 *restrict x, opmill_bits64 *restrict y,
                                     int64_t count) {
    uint64_t any = 0;
    for (int64_t i = 0; i < count; i++) {
        const double value = opmill_double(x[i]);
        const double e = opmill_exp_usual_double(2 * opmill_magnitude(value));
        any |= opmill_beyond_double(x[i], 350);
        y[i] = opmill_bits(opmill_tanh_of_exp(value, e));
    }
    return any >> 63 == 0;
}

/* The same bits for blocks of doubles to 700, in passes. */
OPMILL_INLINE bool sinh_usual_double(const opmill_bits64 *restrict x, opmill_bits64 *restrict y,
                                     int64_t count) {
    opmill_exp_block block;
    if (opmill_any_beyond_double(x, 700, count)) {
        return false;
    }
    opmill_exp_block_begin(&block, x, 1, count);
    for (int64_t i = 0; i < count; i++) {
        const opmill_scaled e = opmill_exp_with_one(opmill_exp_block_reduced(&block, i));
        const double half = opmill_power_of_two(e.k - 1);
        block.high[i] = e.m.high * half;
        block.low[i] = e.m.low * half;
    }
    for (int64_t i = 0; i < count; i++) {
        const double value = opmill_double(x[i]);
        block.polynomial[i] = opmill_poly_sinh_long(value * value);
    }
    for (int64_t i = 0; i < count; i++) {
        const opmill_pair half = {block.high[i], block.low[i]};
        y[i] = opmill_bits(opmill_sinh_of_parts(opmill_double(x[i]), half, block.polynomial[i]));
    }
    return true;
}

#define USUAL(call) call
#define cosh_usual_double(x, y, count) false
#define asinh_usual_float(x, y, count) false
#define asinh_usual_double(x, y, count) false
#define acosh_usual_float(x, y, count) false
#define acosh_usual_double(x, y, count) false
#define atanh_usual_float(x, y, count) false
#define atanh_usual_double(x, y, count) false

#define HAS_DOUBLES OPMILL_USES(DOUBLE)
#define FUNCTIONS(LOOP) LOOP(asinh) LOOP(acosh) LOOP(atanh)
#define FUNCTIONS_BY_BLOCKS(LOOP) LOOP(tanh) LOOP(sinh) LOOP(cosh)
#include "runtime/math/loops.h"
