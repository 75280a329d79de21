/* Blocks of A and B, copied to where their rows follow each other. */

#if !IS_PACKED
/* Rows of A from `row` on, columns [from, to): each `to - from` long. */
static void NAME(product_pack_a)(REAL *packed, const opmill_matrix_product *product,
                                 const opmill_product_position *position, int64_t row, int64_t rows,
                                 int64_t from, int64_t to) {
    const int64_t bytes = opmill_type_bytes(product->a_type);
    const int64_t depth = to - from;
    for (int64_t r = 0; r < rows; r++) {
        const char *const line =
            position->a + ((row + r) * product->a_row + from * product->a_column) * bytes;
        REAL *const out = packed + r * depth;
        NAME(product_widen)(out, line, product->a_column * bytes, depth, product->a_type);
    }
}

/* Rows [from, to) of B, `columns` from `column` on, each `width` long and filled up with 0. */
static void NAME(product_pack_b)(REAL *packed, const opmill_matrix_product *product,
                                 const opmill_product_position *position, int64_t from, int64_t to,
                                 int64_t column, int64_t columns, int64_t width) {
    const int64_t bytes = opmill_type_bytes(product->b_type);
    const char *const b =
        position->b + (from * product->b_row + column * product->b_column) * bytes;
    const int64_t row_step = product->b_row * bytes, column_step = product->b_column * bytes;
    const int64_t depth = to - from;
    int64_t done = 0; /* columns */
    if (product->b_row == 1 && product->b_column != 1 && bytes == (int64_t)sizeof(REAL)) {
        for (; done + LANES <= columns; done += LANES) {
            int64_t k = 0;
            for (; k + LANES <= depth; k += LANES) {
                NAME(product_transpose)(packed + k * width + done, width,
                                        b + done * column_step + k * row_step, column_step);
            }
            for (; k < depth; k++) {
                NAME(product_widen)(packed + k * width + done,
                                    b + done * column_step + k * row_step, column_step, LANES,
                                    product->b_type);
            }
        }
    }
    for (int64_t k = 0; k < depth; k++) {
        REAL *const out = packed + k * width;
        NAME(product_widen)(out + done, b + done * column_step + k * row_step, column_step,
                            columns - done, product->b_type);
        for (int64_t i = columns; i < width; i++) {
            out[i] = 0;
        }
    }
}
#endif
