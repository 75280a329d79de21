/* The phases kernel: a transposed convolution of stride s as s ordinary ones, for each axis.
 *
 * Outputs whose index leaves the same remainder by the stride, a phase, are an ordinary stride-1
 * correlation of X with every s-th tap:
 *
 *     y = step * stride + phase        x = step + offset(tap)
 *
 * X is copied into a box with zeros around it, whose rows follow each other closely, so that a tap
 * is one constant offset and a vector of neighbouring steps runs across row ends. A tile of output
 * maps by vectors of steps is summed up in registers over all channels and taps, for all phases of
 * the last axis in turn, which are then interleaved on the way to Y: no column buffer, no scatter,
 * each output is written once.
 *
 * It is the one wherever there is enough to sum up: most shapes. Either all packed weights stay in
 * the cache, and boxes of X pass by, or where the weights are too many, one box of X stays, and the
 * weights pass by, one tile of maps at a time.
 *
 * The zeros are multiplied by weights. That can only do harm where a weight is infinite or NaN, and
 * then leaves a NaN: rows of a tile with a NaN are computed again by the direct kernel, which
 * multiplies nothing but inputs.
 */
#ifndef OPMILL_CONV_TRANSPOSE_PHASES_H
#define OPMILL_CONV_TRANSPOSE_PHASES_H

#include "box.h"
#include "functions.h"
#include "problem.h"

enum {
    /* Phases of the last axis, whose sums are held at once. */
    PHASES_MAX_LAST = 16,
    /* Maps, and maps by vectors, of a tile. */
    PHASES_MAX_MAPS = 8,
    PHASES_MAX_TILE = 24
};

/* How a call is computed: everything that is worked out before the first element is touched. */
typedef struct phases_layout {
    const conv_transpose_problem *problem;
    const struct conv_transpose_functions *functions;
    int32_t axis_count; /* at least 2: the last two are what vectors run along */
    int32_t threads;
    bool weights_stay;
    int64_t channels; /* summed up for one phase of the last axis before the next has its turn */
    size_t tables_bytes;
    size_t weights_bytes; /* of all groups where they stay, else of one tile */
    size_t bytes;
    box_layout box;
    box_taps taps;
} phases_layout;

/* Lays a call out; false where this kernel is not the one. */
bool opmill_conv_transpose_phases_layout(phases_layout *layout,
                                         const conv_transpose_problem *problem,
                                         const conv_transpose_functions *functions,
                                         int32_t threads);

void opmill_conv_transpose_phases(phases_layout *layout, void *workspace);

/* How many maps the next tile takes of those that are left. */
int64_t opmill_conv_transpose_phases_maps(const conv_transpose_functions *functions, int64_t left);

#endif
