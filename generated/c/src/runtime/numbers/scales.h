/* Assignment of scales of a quantized tensor to its elements. */
#ifndef OPMILL_SCALES_H
#define OPMILL_SCALES_H

#include <stdint.h>

#include "opmill/types.h"

typedef struct opmill_scales {
    int64_t axis, inner; /* the length of the axis, and of what is behind it; 0, 0 for one scale */
    int64_t block;       /* 0 where each index of the axis has a scale of its own, for all rows */
    int64_t blocks;      /* along the axis */
} opmill_scales;

/* A run of elements whose scales are one, or follow each other. */
typedef struct opmill_scale_run {
    int64_t first; /* the first element's scale */
    int64_t count; /* elements */
    int32_t step;  /* 0 or 1: from the scale of an element to the next one's */
} opmill_scale_run;

/* `axis` is -1 where there is one scale for all elements. */
opmill_scales opmill_scales_of(const opmill_tensor *x, int64_t axis, int64_t block);

/* The run that begins at an element, of at most `max_count` elements. */
opmill_scale_run opmill_scales_run(const opmill_scales *scales, int64_t element, int64_t max_count);

/* True if all of `count` elements from `element` on have one scale, whose index is stored. Else
 * each element's scale is copied from `values` to `spread`, and its zero point, where there are
 * any. */
int opmill_scales_spread(const opmill_scales *scales, int64_t element, int64_t count,
                         const float *values, const float *zeros, float *spread,
                         float *spread_zeros, int64_t *index);

#endif
