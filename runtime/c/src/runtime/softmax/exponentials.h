/* Exponentials of blocks of numbers of which none is above 0, in two passes: `put` stores the parts
 * of x, `get` computes its exponential from them. `put_near` and `get_near` are shorter and give
 * the same bits for x from -NEAR to 0, and a NaN of a NaN. */
#ifndef OPMILL_SOFTMAX_EXPONENTIALS_H
#define OPMILL_SOFTMAX_EXPONENTIALS_H

#include "runtime/math/exponential.h"

enum { OPMILL_SOFTMAX_NEAR_FLOAT = 87, OPMILL_SOFTMAX_NEAR_DOUBLE = 708 };

OPMILL_INLINE void opmill_softmax_put_float(opmill_exp_float_block *block, int64_t i, float x) {
    opmill_exp_float_block_put(block, i, opmill_exp_float_split(opmill_exp_float_bounded(x)));
}

OPMILL_INLINE void opmill_softmax_put_near_float(opmill_exp_float_block *block, int64_t i,
                                                 float x) {
    opmill_exp_float_block_put(block, i, opmill_exp_float_split(x));
}

OPMILL_INLINE float opmill_softmax_get_float(const opmill_exp_float_block *block, int64_t i) {
    return opmill_exp_float_of_parts(opmill_exp_float_block_get(block, i));
}

OPMILL_INLINE float opmill_softmax_get_near_float(const opmill_exp_float_block *block, int64_t i) {
    return opmill_exp_float_of_usual_parts(opmill_exp_float_block_get(block, i));
}

OPMILL_INLINE void opmill_softmax_put_double(opmill_exp_block *block, int64_t i, double x) {
    opmill_exp_block_put(block, i, opmill_exp_split(opmill_clamp(x, -800, 800), 0));
}

OPMILL_INLINE void opmill_softmax_put_near_double(opmill_exp_block *block, int64_t i, double x) {
    opmill_exp_block_put(block, i, opmill_exp_split(x, 0));
}

OPMILL_INLINE opmill_scaled opmill_softmax_scaled_double(const opmill_exp_block *block, int64_t i) {
    const opmill_exp_parts parts = {{block->high[i], block->low[i]}, block->k[i]};
    return opmill_exp_with_one(opmill_exp_of_parts(parts, opmill_poly_exp_long(parts.r.high)));
}

OPMILL_INLINE double opmill_softmax_get_double(const opmill_exp_block *block, int64_t i) {
    const opmill_scaled e = opmill_softmax_scaled_double(block, i);
    return opmill_scale(e.m.high, e.k);
}

OPMILL_INLINE double opmill_softmax_get_near_double(const opmill_exp_block *block, int64_t i) {
    const opmill_scaled e = opmill_softmax_scaled_double(block, i);
    return e.m.high * opmill_power_of_two(e.k);
}

#endif
