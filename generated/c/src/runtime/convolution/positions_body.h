/* Positions in the lanes, for few maps: each weight is repeated, some rows are summed together. */

/* sums[row][lane] += box[offset of the term][row][lane] * weights[term]; from `start` on, if it is
 * the first sum; within `limits`, where there are any. */
OPMILL_INLINE void NAME(convolution_rows)(const int rows, REAL *sums, int64_t sums_row,
                                          const REAL *box, int64_t box_row, const int64_t *offsets,
                                          const REAL *weights, int64_t terms, bool is_first,
                                          VECTOR start, const NAME(product_limits) *limits) {
    VECTOR acc[OPMILL_CONVOLUTION_ROWS];
    UNROLLED for (int r = 0; r < rows; r++) {
        acc[r] = is_first ? start : OP(load)(sums + r * sums_row);
    }
    for (int64_t k = 0; k < terms; k++) {
        const VECTOR weight = OP(repeat)(weights[k]);
        const REAL *const at = box + offsets[k];
        UNROLLED for (int r = 0; r < rows; r++) {
            acc[r] = OP(fma)(OP(load)(at + r * box_row), weight, acc[r]);
        }
    }
    UNROLLED for (int r = 0; r < rows; r++) {
        const VECTOR sum = limits != NULL ? NAME(product_limited)(acc[r], limits) : acc[r];
        OP(store)(sums + r * sums_row, sum);
    }
}

/* Up to as many rows as a tile has. */
static void NAME(convolution_some_rows)(int64_t rows, REAL *sums, int64_t sums_row, const REAL *box,
                                        int64_t box_row, const int64_t *offsets,
                                        const REAL *weights, int64_t terms, bool is_first,
                                        VECTOR start,
                                        const NAME(product_limits) *limits) {
    if (rows >= OPMILL_CONVOLUTION_ROWS) {
        NAME(convolution_rows)(OPMILL_CONVOLUTION_ROWS, sums, sums_row, box, box_row, offsets,
                               weights, terms, is_first, start, limits);
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        NAME(convolution_rows)(1, sums + i * sums_row, sums_row, box + i * box_row, box_row,
                               offsets, weights, terms, is_first, start, limits);
    }
}

#if !IS_INTEGER
#include "runtime/convolution/windows_body.h"

#include "runtime/convolution/planes_body.h"

/* The sums of one map where all terms are there: they are elements of the output at once. The last
 * vector of a row begins where it ends with the row. In rows shorter than a vector, its lanes
 * beyond the row are overwritten by the rows that follow; the last rows of a task, which have too
 * few behind them, take a detour. */
static void NAME(convolution_direct)(const opmill_convolution_layout *layout,
                                     const opmill_convolution_task *task, int64_t map,
                                     const REAL *box, int64_t box_row, const REAL *weights,
                                     int64_t terms, REAL *detour) {
    const opmill_convolution *const convolution = layout->convolution;
    const int64_t all_maps = convolution->groups * convolution->maps;
    const int64_t y_row = layout->columns_axis.out;
    const int64_t row = task->outer * layout->rows_axis.out + task->row;
    REAL *const y = (REAL *)convolution->y +
                    (task->item * all_maps + map) * convolution->out_size + row * y_row +
                    task->column;
    VECTOR bias = OP(zero)();
    if (convolution->bias != NULL) {
        bias = OP(repeat)(NAME(product_element)(
            (const char *)convolution->bias + map * (int64_t)sizeof(REAL), convolution->y_type));
    }
    const NAME(product_limits) limits = NAME(product_limits_of)(convolution->limits);
    NAME(convolution_plane_function) *const plane = NAME(convolution_plane_of)(layout, task);
    if (plane != NULL) {
        const opmill_convolution_axis *const h = &layout->rows_axis;
        const opmill_convolution_axis *const w = &layout->columns_axis;
        const NAME(convolution_plane_position) position = {
            (const REAL *)convolution->x +
                (task->item * convolution->groups + task->group) * convolution->in_size,
            task->row * h->stride - h->begin, task->column * w->stride - w->begin, h->in, w->in};
        plane(y, y_row, &position, weights, task->rows, task->columns, bias, &limits, detour);
        return;
    }
    NAME(convolution_window_function) *const window = NAME(convolution_window_of)(layout, task);
    for (int64_t at = 0; at < task->rows; at += OPMILL_CONVOLUTION_ROWS) {
        /* The last windows begin where they end with the rows. */
        const int64_t last = task->rows - OPMILL_CONVOLUTION_ROWS;
        const int64_t r = window != NULL && at > last ? last : at;
        const int64_t left = task->rows - r;
        const int64_t rows = left < OPMILL_CONVOLUTION_ROWS ? left : OPMILL_CONVOLUTION_ROWS;
        REAL *const to = y + r * y_row;
        const bool takes_detour = task->columns < LANES && (left - rows + 1) * y_row < LANES;
        if (window != NULL) {
            window(takes_detour ? detour : to, takes_detour ? LANES : y_row, box + r * box_row,
                   layout->row_pitch, task->offsets, weights, task->columns, bias, &limits);
        } else if (takes_detour) {
            NAME(convolution_some_rows)(rows, detour, LANES, box + r * box_row, box_row,
                                        task->offsets, weights, terms, true, bias, &limits);
        } else {
            const int64_t last_column = task->columns > LANES ? task->columns - LANES : 0;
            for (int64_t i = 0; i < task->columns; i += LANES) {
                const int64_t column = i < last_column ? i : last_column;
                NAME(convolution_some_rows)(rows, to + column, y_row, box + r * box_row + column,
                                            box_row, task->offsets, weights, terms, true, bias,
                                            &limits);
            }
        }
        for (int64_t i = 0; takes_detour && i < rows; i++) {
            memcpy(to + i * y_row, detour + i * LANES, (size_t)task->columns * sizeof(REAL));
        }
    }
}
#endif

static void NAME(convolution_positions)(const opmill_convolution_layout *layout,
                                        const opmill_convolution_task *task, int64_t channel,
                                        int64_t channels, const REAL *box, REAL *sums,
                                        REAL *block) {
    const opmill_convolution *const convolution = layout->convolution;
    const int64_t terms = channels * convolution->taps;
    const int64_t box_row =
        (layout->rows_by_tap ? 1 : layout->rows_axis.stride) * layout->row_pitch;
    const int64_t sums_row = layout->sums_pitch;
    const bool is_first = channel == 0;
    for (int64_t m = 0; m < task->maps; m++) {
        const int64_t map = task->group * convolution->maps + task->map + m;
        REAL *const weights = block + m * terms;
#if IS_PACKED
        NAME(convolution_packed_weights)(convolution, map, 1, 1, channel, channels, weights);
#else
        if (terms > 0) {
            const int64_t bytes = opmill_type_bytes(convolution->w_type);
            const int64_t first = (map * layout->all_channels + channel) * convolution->taps;
            NAME(product_widen)(weights, (const char *)convolution->w + first * bytes, bytes, terms,
                                convolution->w_type);
        }
#endif
#if !IS_INTEGER
        if (layout->is_direct) {
            NAME(convolution_direct)(layout, task, map, box, box_row, weights, terms, sums);
            continue;
        }
#endif
        for (int64_t r = 0; r < task->rows; r += OPMILL_CONVOLUTION_ROWS) {
            for (int64_t column = 0; column < task->columns; column += LANES) {
                NAME(convolution_some_rows)(
                    task->rows - r, sums + (m * task->rows + r) * sums_row + column, sums_row,
                    box + r * box_row + column, box_row, task->offsets, weights, terms, is_first,
                    OP(zero)(), NULL);
            }
        }
    }
}
