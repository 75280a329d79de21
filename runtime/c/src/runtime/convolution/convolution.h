/* Convolutions of any number of spatial axes, for every operator that needs one:
 *
 *     y[b][m][o] = bias[m] + sum over c, t of x[b][c][o * stride + t * dilation - begin] *
 * w[m][c][t]
 *
 * over the channels c of the group of m and the taps t; where that is outside of x, 0 is
 * multiplied. Types, rounding, zero points and error bounds are those of runtime/product, with k
 * the number of terms of a sum; the order of a sum depends on the shapes and the instruction set
 * alone.
 */
#ifndef OPMILL_CONVOLUTION_H
#define OPMILL_CONVOLUTION_H

#include "runtime/convolution/description.h"
#include "runtime/convolution/quads.h"
#include "runtime/call/prepared.h"
#include "runtime/product/product.h"

/* Fills in shapes and data; false where the output is empty. Types, zero points and `finish` are
 * the caller's. Strides, dilations and begins are those of the spatial axes; `y` may be missing. */
bool opmill_convolution_describe(opmill_convolution *convolution, const opmill_tensor *x,
                                 const opmill_tensor *w, void *y, const int64_t *y_dims,
                                 const int64_t *strides, const int64_t *dilations,
                                 const int64_t *begins, int64_t groups);

/* The weights alone, for opmill_prepare; types and zero points are the caller's. False where the
 * packed form is never read: there are too few maps, or none. */
bool opmill_convolution_describe_weights(opmill_convolution *convolution, const opmill_tensor *w,
                                         int64_t groups);

/* Makes the weights those of 8-bit integers with zero points, which may be absent. False where the
 * zero points have no data yet, or a shape that convolutions refuse later. */
bool opmill_convolution_set_zeros(opmill_convolution *convolution, const opmill_tensor *w,
                                  const opmill_tensor *zero);

/* Describes the packed form of the weights, or makes it, for a family's function `prepare`; the
 * first two keys are taken. */
void opmill_convolution_prepare(opmill_packing *packing, const opmill_convolution *convolution,
                                void *to, const opmill_context *context);

/* Layout of a convolution. A task is a box of the output: some maps at some rows and columns,
 * which are positions along the last two axes. */
typedef struct opmill_convolution_layout {
    const opmill_convolution *convolution;
    const struct opmill_convolution_functions *functions;
    enum {
        OPMILL_CONVOLUTION_PRODUCT,
        OPMILL_CONVOLUTION_MAPS,
        OPMILL_CONVOLUTION_POSITIONS,
        OPMILL_CONVOLUTION_QUADS
    } variant;
    int32_t isa;
    int32_t threads;
    size_t workspace_bytes;

    opmill_quads_layout quads;     /* of OPMILL_CONVOLUTION_QUADS */
    opmill_matrix_product product; /* of OPMILL_CONVOLUTION_PRODUCT */
    opmill_product_layout product_layout;
    int64_t batch_dims[1], x_steps[1], w_steps[1];

    opmill_convolution_axis rows_axis,
        columns_axis;            /* the last two; one row where there is one axis */
    int32_t outer_axes;          /* those before */
    int64_t outer_size;          /* of the output */
    int64_t rows, columns, maps; /* of a task */
    int64_t row_tasks, column_tasks, map_tasks;
    /* Of a group, of a box and of a block of weights: elements of the sums' type, which hold two
     * channels of 8-bit integers each. */
    int64_t all_channels, box_channels, channels;

    /* The box: for each channel and each tap of the outer axes, rows of the input, padded. A row
     * holds strips: each has the elements that lie a stride apart, for a remainder of the stride
     * or, where that takes less, for a tap. Rows are in the same way those of the window, or those
     * of each tap. */
    bool rows_by_tap, strips_by_tap;
    int64_t outer_taps, box_rows, strips, strip_size, row_pitch, plane_size; /* in elements */
    int64_t sums_pitch;
    bool is_direct; /* whether positions in lanes are stored as elements of the output at once */

    bool packs_weights;                             /* for the whole call, or before it */
    size_t offsets_bytes, weights_bytes;            /* shared by all tasks */
    size_t sums_offset, block_offset, worker_bytes; /* of a worker: box, sums, a block of weights */
} opmill_convolution_layout;

void opmill_convolution_lay_out(opmill_convolution_layout *layout,
                                const opmill_convolution *convolution,
                                const opmill_context *context);

/* The bytes of workspace that opmill_convolution_run needs, at any address. */
size_t opmill_convolution_workspace(const opmill_convolution_layout *layout);

void opmill_convolution_run(const opmill_convolution_layout *layout, void *workspace);

/* Sets the report of opmill_choose. */
void opmill_convolution_choice(const opmill_convolution_layout *layout, opmill_choice *choice);

#endif
