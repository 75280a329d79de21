/* Positions in the lanes, for one map of one channel: small windows whose weights stay in
 * registers. An element of the input is read once for all rows of a tile whose windows it lies in.
 */

/* y[row][lane] = within `limits`, start + the sum over the taps (i, j) of
 * box[row * stride + i][offsets[j] + lane] * weights[i][j], in the order of the taps. Sizes and
 * `stride` are constants. The last vector of a row begins where it ends with the row; a row shorter
 * than a vector is followed by as many elements that may be overwritten. */
OPMILL_INLINE void NAME(convolution_window)(const int height, const int width, const int stride,
                                            REAL *y, int64_t y_row, const REAL *box,
                                            int64_t row_pitch, const int64_t *offsets,
                                            const REAL *weights, int64_t columns, VECTOR start,
                                            const NAME(product_limits) *limits) {
    enum { ROWS = OPMILL_CONVOLUTION_ROWS, MAX_TAPS = 25 };
    const NAME(product_limits) ends = *limits;
    const int64_t last = columns > LANES ? columns - LANES : 0;
    VECTOR weight[MAX_TAPS];
    UNROLLED for (int i = 0; i < height; i++) {
        UNROLLED for (int j = 0; j < width; j++) {
            weight[i * width + j] = OP(repeat)(weights[i * width + j]);
        }
    }
    for (int64_t at = 0; at < columns; at += LANES) {
        const int64_t column = at < last ? at : last;
        VECTOR sums[ROWS];
        UNROLLED for (int r = 0; r < ROWS; r++) {
            sums[r] = start;
        }
        UNROLLED for (int row = 0; row < (ROWS - 1) * stride + height; row++) {
            UNROLLED for (int j = 0; j < width; j++) {
                const VECTOR x = OP(load)(box + row * row_pitch + offsets[j] + column);
                UNROLLED for (int r = 0; r < ROWS; r++) {
                    const int i = row - r * stride;
                    if (i >= 0 && i < height) {
                        sums[r] = OP(fma)(x, weight[i * width + j], sums[r]);
                    }
                }
            }
        }
        UNROLLED for (int r = 0; r < ROWS; r++) {
            OP(store)(y + r * y_row + column, NAME(product_limited)(sums[r], &ends));
        }
    }
}

typedef void NAME(convolution_window_function)(REAL *y, int64_t y_row, const REAL *box,
                                               int64_t row_pitch, const int64_t *offsets,
                                               const REAL *weights, int64_t columns, VECTOR start,
const NAME(product_limits) *limits);

#define CONVOLUTION_WINDOW(SIZE, STRIDE)                                                         \
    static void NAME(convolution_window_##SIZE##_##STRIDE)(                                      \
        REAL * y, int64_t y_row, const REAL *box, int64_t row_pitch, const int64_t *offsets,     \
        const REAL *weights, int64_t columns, VECTOR start,                                      \
        const NAME(product_limits) *limits) {                                                    \
        NAME(convolution_window)(SIZE, SIZE, STRIDE, y, y_row, box, row_pitch, offsets, weights, \
                                 columns, start, limits);                                        \
    }
CONVOLUTION_WINDOW(3, 1)
CONVOLUTION_WINDOW(3, 2)
CONVOLUTION_WINDOW(5, 1)
CONVOLUTION_WINDOW(5, 2)
#undef CONVOLUTION_WINDOW

/* The function for the windows of a task, or NULL. */
static NAME(convolution_window_function) *NAME(convolution_window_of)(
    const opmill_convolution_layout *layout, const opmill_convolution_task *task) {
    const opmill_convolution_axis *const h = &layout->rows_axis;
    const int64_t size = h->kernel;
    if (layout->all_channels != 1 || layout->outer_taps != 1 || h->dilation != 1 ||
        layout->columns_axis.kernel != size || task->rows < OPMILL_CONVOLUTION_ROWS) {
        return NULL;
    }
    if (h->stride == 1) {
        return size == 3   ? NAME(convolution_window_3_1)
               : size == 5 ? NAME(convolution_window_5_1)
                           : NULL;
    }
    if (h->stride == 2) {
        return size == 3   ? NAME(convolution_window_3_2)
               : size == 5 ? NAME(convolution_window_5_2)
                           : NULL;
    }
    return NULL;
}
