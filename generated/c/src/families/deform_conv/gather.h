/* Interpolated inputs of one kernel element, for the channels of a group of offsets. */
#ifndef OPMILL_DEFORM_CONV_GATHER_H
#define OPMILL_DEFORM_CONV_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

typedef struct deform_source {
    const opmill_tensor *x, *offset, *mask; /* mask may be NULL */
    int32_t axes;
    bool wide; /* whether columns are doubles, else they are floats */
    int64_t sizes[OPMILL_MAX_RANK], steps[OPMILL_MAX_RANK]; /* of x, in elements */
    int64_t kernel[OPMILL_MAX_RANK], out[OPMILL_MAX_RANK];
    const int64_t *strides, *dilations, *begin;
    int64_t taps, positions, pixels; /* products of kernel, out and sizes */
    int64_t offset_groups;
} deform_source;

typedef struct deform_part {
    int64_t n, group, tap; /* the image, the group of offsets, the element of the kernels */
    int64_t begin, end;    /* channels */
    int64_t first, count;  /* positions of the output */
    int64_t pitch;         /* of the columns, in elements */
    int64_t *offsets;      /* for `count` elements of an image and their weights */
    double *weights;
} deform_part;

/* Fills the rows of the columns that belong to the part; row 0 is that of `first_channel`. */
void opmill_deform_gather(const deform_source *source, const deform_part *part,
                          int64_t first_channel, void *columns);

#endif
