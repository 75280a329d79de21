/* The kernel for depthwise convolutions: groups of one input channel, with a few maps each.
 *
 * There is nothing to sum up over channels, so a register tile that reuses weights over inputs, or
 * inputs over maps, is of no use; what counts is the way from X to Y. A task copies one plane of X,
 * or as many rows of it as fit, into a box (box.h), so that a tap is one constant offset, and goes
 * through it row by row: vectors run along neighbouring steps of a row, and where rows are short,
 * several rows are summed up at once, so that the sums do not wait for each other. The phases of
 * the last axis are interleaved on the way to Y; for larger strides, straight from the registers
 * (depthwise_ways.h).
 *
 * It is the one for groups of a single input channel with up to DEPTHWISE_MAPS maps, where the
 * stride of the last axis is below 16: from there on vectors along the taps are faster (taps.h).
 *
 * Zeros of the box are multiplied by weights: a map with a weight that is infinite or NaN is left
 * to the direct kernel, which multiplies nothing but inputs.
 */
#ifndef OPMILL_CONV_TRANSPOSE_DEPTHWISE_H
#define OPMILL_CONV_TRANSPOSE_DEPTHWISE_H

#include "box.h"
#include "functions.h"
#include "problem.h"

enum {
    DEPTHWISE_MAPS = 8,
    /* Phases of the last axis, and vectors of each, whose sums are held at once. */
    DEPTHWISE_MAX_LAST = 15,
    DEPTHWISE_VECTORS = 8,
    /* Taps of a stack that are taken at once. */
    DEPTHWISE_TAPS = 4
};

/* The taps of a phase, in stacks: those of a stack meet inputs below each other, so that an input
 * of a tile that is several rows high is loaded once for all of them. */
typedef struct depthwise_stacks {
    bool tall;      /* else each tap is a stack */
    int64_t *first; /* the first stack of each phase, and the end */
    int64_t *x;     /* a stack's uppermost offset in a box, its first tap, and the end of all */
    int64_t *taps;
    int64_t *w; /* a tap's index in the kernel */
} depthwise_stacks;

typedef struct depthwise_layout {
    const conv_transpose_problem *problem;
    const conv_transpose_functions *functions;
    int32_t threads;
    size_t tables_bytes;
    size_t weights_bytes; /* of one map, for each thread */
    size_t bytes;
    box_layout box;
    box_taps taps;
    depthwise_stacks stacks;
} depthwise_layout;

/* Lays a call out; false where this kernel is not the one. */
bool opmill_conv_transpose_depthwise_layout(depthwise_layout *layout,
                                            const conv_transpose_problem *problem,
                                            const conv_transpose_functions *functions,
                                            int32_t threads);

void opmill_conv_transpose_depthwise(depthwise_layout *layout, void *workspace);

#endif
