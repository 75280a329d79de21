/* The kernel for depthwise convolutions of small planes: vectors run along the groups.
 *
 * Where the rows of a plane are shorter than a vector, vectors along them would be half empty, and
 * so many small planes cost more to set out than to sum up. Here each lane is a group: the planes
 * of as many groups as a vector has lanes are transposed to [position][group], summed up output by
 * output, and transposed back. All lanes do the same, so borders need neither zeros nor masks, and
 * nothing but inputs and weights is multiplied.
 *
 * It is the one for groups of a single input channel where there are groups enough to fill more of
 * the lanes than a row would, and a vector's planes fit the second-level cache. `depthwise.h` is
 * for the others.
 */
#ifndef OPMILL_CONV_TRANSPOSE_GROUPS_H
#define OPMILL_CONV_TRANSPOSE_GROUPS_H

#include "functions.h"
#include "problem.h"

enum { GROUPS_MAPS = 8 };

/* The taps that meet an input at one output of an axis: `tap` with the input at `x`, and then each
 * tap_step further with the input x_step before. `alike` outputs, this one and those that are a
 * stride apart from it on, meet the same taps with inputs that follow each other. */
typedef struct groups_taps {
    int32_t count;
    int32_t tap;
    int32_t x;
    int32_t alike;
} groups_taps;

/* Where a tap of the outer axes finds its row of inputs and of weights. */
typedef struct groups_row {
    int32_t x;
    int32_t w;
} groups_row;

typedef struct groups_layout {
    const conv_transpose_problem *problem;
    const conv_transpose_functions *functions;
    int32_t threads;
    int64_t blocks; /* of groups, in all batch items */
    size_t tables_bytes;
    size_t scratch_bytes; /* of a thread */
    size_t bytes;
    int32_t tap_step[CONV_TRANSPOSE_MAX_AXES];
    int32_t x_step[CONV_TRANSPOSE_MAX_AXES];
    groups_taps *taps[CONV_TRANSPOSE_MAX_AXES]; /* of each output of an axis */
    int64_t lines;                              /* rows of outputs of a plane */
    int64_t *first;                             /* the first tap of each line, and the end */
    groups_row *rows;
} groups_layout;

/* Lays a call out; false where this kernel is not the one. */
bool opmill_conv_transpose_groups_layout(groups_layout *layout,
                                         const conv_transpose_problem *problem,
                                         const conv_transpose_functions *functions,
                                         int32_t threads);

void opmill_conv_transpose_groups(groups_layout *layout, void *workspace);

#endif
