/* A call of ConvTranspose in plain numbers, as all kernels of the family take it.
 *
 * By the time there is a problem, the rules have accepted the call: nothing here can be wrong.
 * batch, maps and every extent are at least 1, unless channels is 0, which says that no output has
 * a tap: then X and W are not looked at, and their sizes are 0.
 *
 *     y = x * stride + tap * dilation - begin      on every axis, for 0 <= x < in, 0 <= y < out
 *
 * Data need not be aligned for their element type.
 */
#ifndef OPMILL_CONV_TRANSPOSE_PROBLEM_H
#define OPMILL_CONV_TRANSPOSE_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opmill/types.h>

#include "runtime/numbers/integers.h"

enum {
    CONV_TRANSPOSE_MAX_AXES = OPMILL_MAX_RANK - 2,
    /* The entry hands on a workspace that begins on a cache line. */
    CONV_TRANSPOSE_ALIGNMENT = 64,
    /* What a kernel may take of it, beyond the size of X: 4 MiB, less what aligning it costs. */
    CONV_TRANSPOSE_WORKSPACE_BYTES = 4 * 1024 * 1024 - CONV_TRANSPOSE_ALIGNMENT
};

/* One spatial axis. */
typedef struct conv_transpose_axis {
    int64_t in;
    int64_t kernel;
    int64_t out;
    int64_t stride;
    int64_t dilation;
    int64_t begin;
} conv_transpose_axis;

typedef struct conv_transpose_problem {
    const void *x;    /* [batch][groups][channels][in_size] */
    const void *w;    /* [groups][channels][maps][kernel_size] */
    const void *bias; /* [groups][maps], or NULL */
    void *y;          /* [batch][groups][maps][out_size] */
    int32_t type;
    int32_t axis_count; /* at least 1 */
    int64_t batch;
    int64_t groups;
    int64_t channels; /* of one group */
    int64_t maps;     /* of one group */
    int64_t in_size;
    int64_t kernel_size;
    int64_t out_size;
    conv_transpose_axis axes[CONV_TRANSPOSE_MAX_AXES];
} conv_transpose_problem;

/* Makes `problem`; false if the output is empty, so that there is none. Strides, dilations and
 * begins are those of the spatial axes, y_dims all dims of the output. */
bool opmill_conv_transpose_problem(conv_transpose_problem *problem, const opmill_tensor *x,
                                   const opmill_tensor *w, const opmill_tensor *bias, void *y,
                                   const int64_t *y_dims, const int64_t *strides,
                                   const int64_t *dilations, const int64_t *begins, int64_t groups);

#endif
