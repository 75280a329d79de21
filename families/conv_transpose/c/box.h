/* Boxes: parts of X with zeros around them, laid out so that a tap is one constant offset.
 *
 * On each axis, outputs are counted by phase and step, y = step * stride + phase, and a tap of a
 * phase takes the input at step + offset(tap) to the output at step. A box holds what a range of
 * steps needs on each axis, for all channels of a group. Its rows follow each other so closely that
 * the zeros before a row are those behind the row above, where a box has whole rows.
 */
#ifndef OPMILL_CONV_TRANSPOSE_BOX_H
#define OPMILL_CONV_TRANSPOSE_BOX_H

#include "functions.h"
#include "problem.h"

enum {
    BOX_MAX_AXES = CONV_TRANSPOSE_MAX_AXES + 1,
    BOX_CACHE_LINE = 64,
    /* Channels of a shared box that are filled in one task. */
    BOX_TASK_CHANNELS = 16
};

/* The position of a tap on an axis: its offset, and the phase whose steps it serves. */
typedef struct box_position {
    int64_t offset;
    int64_t phase;
} box_position;

/* An axis by phases and steps; the batch is the first one, with a kernel of one. */
typedef struct box_axis {
    conv_transpose_axis shape;
    box_position first_tap;
    /* What is added for the tap after one; beyond the stride, phases go round. */
    box_position next_tap;
    int64_t x_stride; /* elements between neighbours in X, in Y and in the box */
    int64_t y_stride;
    int64_t box_stride;
    int64_t phases;
    int64_t steps; /* of the longest phases, the last of which has the last output */
    int64_t last_phase;
    int64_t low; /* the lowest offset of a tap that meets an input, and the highest */
    int64_t high;
    int64_t taps;  /* how many such taps there are */
    int64_t range; /* the steps of a box */
    int64_t boxes;
} box_axis;

typedef struct box_layout {
    const conv_transpose_problem *problem;
    const conv_transpose_functions *functions;
    int32_t axis_count; /* at least 2: the last two are those of the rows and the columns */
    int64_t plane;      /* elements of one channel */
    int64_t count;      /* boxes of one group */
    size_t bytes;       /* of a box */
    box_axis axes[BOX_MAX_AXES];
} box_layout;

/* The part of a box that is there: first steps and their number on each axis. */
typedef struct box_part {
    int64_t first[BOX_MAX_AXES];
    int64_t count[BOX_MAX_AXES];
} box_part;

/* The taps that meet an input, by phase. */
typedef struct box_taps {
    int64_t phases;
    int64_t count;
    size_t bytes;   /* of the tables */
    int64_t *first; /* the first tap of each phase, and the end */
    int64_t *x;     /* a tap's offset in a box, and its index in the kernel */
    int64_t *w;
} box_taps;

/* Sets the axes; false where numbers are so large that boxes are out of the question. */
bool opmill_conv_transpose_box_axes(box_layout *layout, const conv_transpose_problem *problem,
                                    const conv_transpose_functions *functions);

/* Makes the boxes as large as `budget` bytes and the wish for at least `wanted` boxes allow; false
 * if none fits. */
bool opmill_conv_transpose_box_ranges(box_layout *layout, int64_t budget, int64_t wanted);

/* Counts the taps of spatial axes up to axis `end`; false if there are none, or too many. */
bool opmill_conv_transpose_box_count(const box_layout *layout, box_taps *taps, int32_t end);

/* Fills in the tables of counted taps, once the ranges are set. */
void opmill_conv_transpose_box_taps(const box_layout *layout, box_taps *taps, int32_t end,
                                    void *memory);

/* The box with this index. */
void opmill_conv_transpose_box_find(const box_layout *layout, int64_t index, box_part *part);

#endif
