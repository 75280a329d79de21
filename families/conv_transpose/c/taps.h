/* The kernel for wide strides and wider kernels, as in segmentation networks that scale up at once.
 *
 * With a stride of s, a step of the last axis covers s neighbouring outputs, whose weights, one for
 * each channel and each offset of the step, are s neighbours in W too. So vectors run along the
 * taps here, inputs are repeated over a vector, and a tile of steps by vectors is summed up in
 * registers over all channels and offsets, for one row of one map at a time.
 *
 * It is the one where the last axis has a stride of at least a vector and no dilation. Its inputs
 * come from a box (box.h), and its weights are padded to whole steps: rows with a NaN are computed
 * again by the direct kernel, as phases.h says.
 */
#ifndef OPMILL_CONV_TRANSPOSE_TAPS_H
#define OPMILL_CONV_TRANSPOSE_TAPS_H

#include "box.h"
#include "functions.h"
#include "problem.h"

/* Steps by vectors of a tile. */
enum { TAPS_STEPS = 12, TAPS_VECTORS = 2 };

typedef struct taps_layout {
    const conv_transpose_problem *problem;
    const conv_transpose_functions *functions;
    int32_t threads;
    int64_t offsets; /* of the last axis */
    int64_t width;   /* elements of the padded weights of a step */
    size_t tables_bytes;
    size_t scratch_bytes; /* of a thread: weights, and the sums of a tile */
    size_t bytes;
    box_layout box;
    box_taps rows; /* the phases and taps of all axes but the last */
} taps_layout;

/* Lays a call out; false where this kernel is not the one. */
bool opmill_conv_transpose_taps_layout(taps_layout *layout, const conv_transpose_problem *problem,
                                       const conv_transpose_functions *functions, int32_t threads);

void opmill_conv_transpose_taps(taps_layout *layout, void *workspace);

#endif
