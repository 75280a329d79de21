/* Positions in the lanes, for few maps: each weight is repeated, some rows are summed together. */

/* sums[row][lane] += box[offset of the term][row][lane] * weights[term], or = if it is the first
 * sum. */
OPMILL_INLINE void NAME(convolution_rows)(const int rows, REAL *sums, int64_t sums_row,
                                          const REAL *box, int64_t box_row, const int64_t *offsets,
                                          const REAL *weights, int64_t terms, bool is_first) {
    VECTOR acc[OPMILL_CONVOLUTION_ROWS];
    UNROLLED for (int r = 0; r < rows; r++) {
        acc[r] = is_first ? OP(zero)() : OP(load)(sums + r * sums_row);
    }
    for (int64_t k = 0; k < terms; k++) {
        const VECTOR weight = OP(repeat)(weights[k]);
        const REAL *const at = box + offsets[k];
        UNROLLED for (int r = 0; r < rows; r++) {
            acc[r] = OP(fma)(OP(load)(at + r * box_row), weight, acc[r]);
        }
    }
    UNROLLED for (int r = 0; r < rows; r++) {
        OP(store)(sums + r * sums_row, acc[r]);
    }
}

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
#if IS_PAIRS
        NAME(convolution_pair_weights)(convolution, map, 1, 1, channel, channels, weights);
#else
        if (terms > 0) {
            const int64_t bytes = opmill_type_bytes(convolution->w_type);
            const int64_t first = (map * layout->all_channels + channel) * convolution->taps;
            NAME(product_widen)(weights, (const char *)convolution->w + first * bytes, bytes, terms,
                                convolution->w_type);
        }
#endif
        for (int64_t r = 0; r < task->rows; r += OPMILL_CONVOLUTION_ROWS) {
            const int64_t left = task->rows - r;
            for (int64_t column = 0; column < task->columns; column += LANES) {
                REAL *const to = sums + (m * task->rows + r) * sums_row + column;
                const REAL *const at = box + r * box_row + column;
                if (left >= OPMILL_CONVOLUTION_ROWS) {
                    NAME(convolution_rows)(OPMILL_CONVOLUTION_ROWS, to, sums_row, at, box_row,
                                           task->offsets, weights, terms, is_first);
                    continue;
                }
                for (int64_t i = 0; i < left; i++) {
                    NAME(convolution_rows)(1, to + i * sums_row, sums_row, at + i * box_row, box_row,
                                           task->offsets, weights, terms, is_first);
                }
            }
        }
    }
}
