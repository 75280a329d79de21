/* Description of a convolution, for the functions of convolution.h and those that they call. */
#ifndef OPMILL_CONVOLUTION_DESCRIPTION_H
#define OPMILL_CONVOLUTION_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opmill/types.h>

#include "runtime/quantized/requantize.h"

enum { OPMILL_CONVOLUTION_MAX_AXES = OPMILL_MAX_RANK - 2 };

/* One spatial axis. */
typedef struct opmill_convolution_axis {
    int64_t in, kernel, out, stride, dilation, begin;
} opmill_convolution_axis;

struct opmill_convolution;

/* Stores `count` sums of one map of one item of the batch, from `position` of the plane on, where
 * the convolution does not store them itself. */
typedef void opmill_convolution_finish(const struct opmill_convolution *convolution, int64_t item,
                                       int64_t map, int64_t position, const void *sums,
                                       int64_t count);

/* The factor of the sums of a map that become integers of 8 bits, and what is added to each before,
 * which wraps around. */
typedef float opmill_convolution_rescale(const struct opmill_convolution *convolution, int64_t map,
                                         uint32_t *added);

typedef struct opmill_convolution {
    int32_t type; /* of the sums: OPMILL_FLOAT, OPMILL_DOUBLE or OPMILL_UINT32 */
    int32_t x_type, w_type, y_type;
    const void *x;                         /* [batch][groups][channels][in_size] */
    const void *w;                         /* [groups][maps][channels][taps] */
    const void *bias;                      /* [groups][maps], of y_type, or NULL */
    void *y;                               /* [batch][groups][maps][out_size] */
    int64_t batch, groups, channels, maps; /* of a group */
    int64_t in_size, taps, out_size;
    int32_t axis_count; /* at least 1 */
    opmill_convolution_axis axes[OPMILL_CONVOLUTION_MAX_AXES];
    const void *x_zero, *w_zero; /* zero points, of x_type and w_type, or NULL */
    int64_t w_zero_step;         /* 1 where each map has its own */
    const void *w_packed; /* by opmill_convolution_prepare for this instruction set, or NULL */
    const opmill_limits *limits;       /* of the elements of y, where all types are one; or NULL */
    opmill_convolution_finish *finish; /* or NULL; then `limits` is NULL */
    /* Where a convolution can do what `finish` does as it stores the sums; or NULL. */
    opmill_convolution_rescale *rescale;
    const opmill_requantizer *requantizer;
    const void *state; /* for `finish` and `rescale` */
} opmill_convolution;

#endif
