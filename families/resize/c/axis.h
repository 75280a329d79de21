/* Taps of one axis of the output: the positions of the input from which each of its own
 * positions is computed, and their weights. */
#ifndef OPMILL_RESIZE_AXIS_H
#define OPMILL_RESIZE_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "families/resize/plan.h"

typedef enum resize_mode { RESIZE_NEAREST, RESIZE_LINEAR, RESIZE_CUBIC } resize_mode;

typedef struct resize_axis {
    int64_t in, out;
    int64_t first, count; /* the positions of the output that are inside of the input */
    int64_t taps;         /* of each: as many adjacent positions of the input, at least 1 */
    bool same;            /* each position is that of the input */
    int64_t *at;          /* of each inside, the first of its taps */
    double *weights;      /* NULL for the nearest position; of position i from i * taps on */
} resize_axis;

/* The sizes of an axis: all members but the tables. */
void opmill_resize_axis_begin(resize_axis *axis, const opmill_resize_plan *plan, int32_t number,
                              int64_t in, int64_t out);

/* Fills the tables, for which the caller has set the memory. */
void opmill_resize_axis_fill(const resize_axis *axis, const opmill_resize_plan *plan,
                             int32_t number);

resize_mode opmill_resize_mode(const opmill_resize_plan *plan);

#endif
