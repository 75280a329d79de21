/* Blocks of matrices of 8-bit integers less their zero points, two terms of a sum in an element. */

/* Pairs of elements a step apart, `count` of them, and one element more where that is odd. */
#define PRODUCT_PAIRS(ELEMENT)                                                                  \
    for (int64_t i = 0; i < count / 2; i++) {                                                   \
        const ELEMENT *const at = (const ELEMENT *)from + 2 * i * step;                         \
        to[i] = NAME(product_pair)((REAL)at[0] - zero, (REAL)at[step] - zero);                  \
    }                                                                                           \
    if (count % 2 != 0) {                                                                       \
        to[count / 2] =                                                                         \
            NAME(product_pair)((REAL)((const ELEMENT *)from)[(count - 1) * step] - zero, 0);    \
    }
static void NAME(product_pair_row)(REAL *restrict to, const char *restrict from, int64_t step,
                                   int64_t count, int32_t type, REAL zero) {
    if (type == OPMILL_INT8 && step == 1) {
        const int64_t step = 1;
        PRODUCT_PAIRS(int8_t)
    } else if (type == OPMILL_UINT8 && step == 1) {
        const int64_t step = 1;
        PRODUCT_PAIRS(uint8_t)
    } else if (type == OPMILL_INT8) {
        PRODUCT_PAIRS(int8_t)
    } else {
        PRODUCT_PAIRS(uint8_t)
    }
}
#undef PRODUCT_PAIRS

/* The elements of two rows, one beneath the other, as pairs; a vector of them at a time, of which
 * compilers need to know the length. */
#define PRODUCT_ZIP(ELEMENT)                                                                  \
    const ELEMENT *const a = (const ELEMENT *)low, *const b = (const ELEMENT *)high;            \
    for (; i + LANES <= count; i += LANES) {                                                    \
        for (int64_t k = i; k < i + LANES; k++) {                                               \
            to[k] = NAME(product_pair)((REAL)a[k] - zero, (REAL)b[k] - zero);                   \
        }                                                                                       \
    }                                                                                           \
    for (; i < count; i++) {                                                                    \
        to[i] = NAME(product_pair)((REAL)a[i] - zero, (REAL)b[i] - zero);                       \
    }
static void NAME(product_zip_rows)(REAL *restrict to, const char *restrict low,
                                   const char *restrict high, int64_t count, int32_t type,
                                   REAL zero) {
    int64_t i = 0;
    if (type == OPMILL_INT8) {
        PRODUCT_ZIP(int8_t)
    } else {
        PRODUCT_ZIP(uint8_t)
    }
}
#undef PRODUCT_ZIP

/* Rows of A from `row` on, columns [from, to): pairs next to each other. */
static void NAME(product_pack_a)(REAL *packed, const opmill_matrix_product *product,
                                 const opmill_product_position *position, int64_t row, int64_t rows,
                                 int64_t from, int64_t to) {
    const int64_t pairs = (to - from + 1) / 2;
    for (int64_t r = 0; r < rows; r++) {
        const char *const line =
            position->a + (row + r) * product->a_row + from * product->a_column;
        REAL zero = 0;
        if (position->a_zero != NULL) {
            zero = NAME(product_element)(position->a_zero + (row + r) * product->a_zero_row,
                                         product->a_type);
        }
        NAME(product_pair_row)(packed + r * pairs, line, product->a_column, to - from,
                               product->a_type, zero);
    }
}

/* Rows [from, to) of B, two at a time, `columns` from `column` on, each `width` long and filled up
 * with 0. */
static void NAME(product_pack_b)(REAL *packed, const opmill_matrix_product *product,
                                 const opmill_product_position *position, int64_t from, int64_t to,
                                 int64_t column, int64_t columns, int64_t width) {
    const char *const b = position->b + from * product->b_row + column * product->b_column;
    const bool is_plain = product->b_column == 1 && product->b_zero_column == 0;
    REAL zero = 0;
    if (position->b_zero != NULL) {
        zero = NAME(product_element)(position->b_zero + column * product->b_zero_column,
                                     product->b_type);
    }
    for (int64_t k = 0; k < to - from; k += 2) {
        REAL *const out = packed + k / 2 * width;
        const char *const low = b + k * product->b_row;
        const bool is_last = k + 1 == to - from;
        if (is_plain && !is_last) {
            NAME(product_zip_rows)(out, low, low + product->b_row, columns, product->b_type, zero);
        }
        for (int64_t i = 0; i < columns && (!is_plain || is_last); i++) {
            const char *const at = low + i * product->b_column;
            REAL own = zero;
            if (product->b_zero_column != 0) {
                own = NAME(product_element)(position->b_zero + column + i, product->b_type);
            }
            out[i] = NAME(product_pair)(
                NAME(product_element)(at, product->b_type) - own,
                is_last ? 0 : NAME(product_element)(at + product->b_row, product->b_type) - own);
        }
        for (int64_t i = columns; i < width; i++) {
            out[i] = 0;
        }
    }
}
