/* Blocks of matrices of 8-bit integers, four terms of a sum in an element: those of A unsigned,
 * those of B signed, and where they are not, 128 more or less than they are, as are their zero
 * points. These are subtracted at last:
 *
 *     sum of (a - za) (b - zb) = sum of a b - zb (sum of a) - za (sum of b) + k za zb
 */

/* Mask that converts a byte to the other signedness, shifted by 128. */
static inline REAL NAME(product_turned)(int32_t type, int32_t wanted) {
    return type == wanted ? 0 : 0x80808080u;
}

/* Up to four bytes that are `step` apart as an element, turned; what is missing is 0. */
static inline REAL NAME(product_quad)(const char *at, int64_t step, int64_t count, REAL turned) {
    REAL quad = 0;
    for (int64_t i = 0; i < count && i < 4; i++) {
        quad |= (REAL)((uint8_t)at[i * step] ^ (uint8_t)turned) << (8 * i);
    }
    return quad;
}

/* Rows of A from `row` on, columns [from, to): elements next to each other. */
static void NAME(product_pack_a)(REAL *packed, const opmill_matrix_product *product,
                                 const opmill_product_position *position, int64_t row, int64_t rows,
                                 int64_t from, int64_t to) {
    const REAL turned = NAME(product_turned)(product->a_type, OPMILL_UINT8);
    const int64_t step = product->a_column, whole = (to - from) / 4, quads = (to - from + 3) / 4;
    for (int64_t r = 0; r < rows; r++) {
        const char *const line = position->a + (row + r) * product->a_row + from * step;
        REAL *const out = packed + r * quads;
        if (step == 1) {
            memcpy(out, line, (size_t)whole * sizeof(REAL));
            for (int64_t k = 0; k < whole && turned != 0; k++) {
                out[k] ^= turned;
            }
        } else {
            for (int64_t k = 0; k < whole; k++) {
                out[k] = NAME(product_quad)(line + 4 * k * step, step, 4, turned);
            }
        }
        if (quads > whole) {
            out[whole] = NAME(product_quad)(line + 4 * whole * step, step, (to - from) % 4, turned);
        }
    }
}

/* Rows [from, to) of B, four at a time, `columns` from `column` on, each `width` long and filled up
 * with 0. */
static void NAME(product_pack_b)(REAL *packed, const opmill_matrix_product *product,
                                 const opmill_product_position *position, int64_t from, int64_t to,
                                 int64_t column, int64_t columns, int64_t width) {
    const REAL turned = NAME(product_turned)(product->b_type, OPMILL_INT8);
    const int64_t row_step = product->b_row, step = product->b_column;
    const char *const b = position->b + from * row_step + column * step;
    int64_t done = 0; /* columns */
    if (row_step == 1 && step != 1) {
        for (; done + LANES <= columns; done += LANES) {
            int64_t k = 0;
            for (; k + 4 * LANES <= to - from; k += 4 * LANES) {
                REAL *const out = packed + k / 4 * width + done;
                NAME(product_transpose)(out, width, b + done * step + k, step);
                for (int64_t i = 0; i < LANES; i++) {
                    OP(store)(out + i * width, OP(load)(out + i * width) ^ OP(repeat)(turned));
                }
            }
            for (; k < to - from; k += 4) {
                for (int64_t i = done; i < done + LANES; i++) {
                    packed[k / 4 * width + i] =
                        NAME(product_quad)(b + i * step + k, 1, to - from - k, turned);
                }
            }
        }
    }
    for (int64_t k = 0; k < to - from; k += 4) {
        REAL *const out = packed + k / 4 * width;
        const char *const line = b + k * row_step;
        int64_t i = done;
        if (step == 1 && k + 4 <= to - from) {
            const uint8_t *const first = (const uint8_t *)line, *const second = first + row_step,
                                 *const third = second + row_step, *const fourth = third + row_step;
            for (; i + LANES <= columns; i += LANES) {
                for (int64_t lane = i; lane < i + LANES; lane++) {
                    out[lane] = ((REAL)first[lane] | (REAL)second[lane] << 8 |
                                 (REAL)third[lane] << 16 | (REAL)fourth[lane] << 24) ^
                                turned;
                }
            }
        }
        for (; i < columns; i++) {
            out[i] = NAME(product_quad)(line + i * step, row_step, to - from - k, turned);
        }
        for (; i < width; i++) {
            out[i] = 0;
        }
    }
}

/* The sums of all bytes of each row of A and of each column of B. */
typedef struct NAME(product_totals) {
    const REAL *rows, *columns;
} NAME(product_totals);

static void NAME(product_add_factors)(REAL *totals, const REAL *packed, int64_t rows,
                                      int64_t terms) {
    const VECTOR ones = OP(repeat)(0x01010101u);
    for (int64_t r = 0; r < rows; r++) {
        const REAL *const line = packed + r * terms;
        VECTOR sums = OP(zero)();
        REAL lanes[LANES];
        int64_t k = 0;
        for (; k + LANES <= terms; k += LANES) {
            sums = OP(fma)(ones, OP(load)(line + k), sums);
        }
        OP(store)(lanes, sums);
        for (int lane = 0; lane < LANES; lane++) {
            totals[r] += lanes[lane];
        }
        for (; k < terms; k++) {
            totals[r] += (line[k] & 0xffu) + (line[k] >> 8 & 0xffu) + (line[k] >> 16 & 0xffu) +
                         (line[k] >> 24);
        }
    }
}

static void NAME(product_add_rows)(REAL *totals, const REAL *panel, int64_t terms, int64_t width) {
    const VECTOR ones = OP(repeat)(0x01010101u);
    for (int64_t i = 0; i < width; i += LANES) {
        VECTOR sums = OP(load)(totals + i);
        for (int64_t k = 0; k < terms; k++) {
            sums = OP(fma)(OP(load)(panel + k * width + i), ones, sums);
        }
        OP(store)(totals + i, sums);
    }
}

/* A zero point, turned as its matrix is. */
static inline REAL NAME(product_zero)(const char *zeros, int64_t index, int32_t type,
                                      int32_t wanted) {
    REAL zero = 0;
    if (zeros != NULL) {
        zero = type == OPMILL_INT8 ? (REAL)((const int8_t *)zeros)[index]
                                   : (REAL)((const uint8_t *)zeros)[index];
    }
    return type == wanted ? zero : wanted == OPMILL_UINT8 ? zero + 128 : zero - 128;
}

/* True if all columns of B have a zero point of 0, so that no total of a row is needed. */
static bool NAME(product_ignores_rows)(const opmill_matrix_product *product,
                                       const opmill_product_position *position) {
    return product->b_zero_column == 0 &&
           NAME(product_zero)(position->b_zero, 0, product->b_type, OPMILL_INT8) == 0;
}

/* The zero points of `count` columns from `column` on, which have one each. */
static void NAME(product_column_zeros)(REAL *zeros, const opmill_matrix_product *product,
                                       const opmill_product_position *position, int64_t column,
                                       int64_t count) {
    if (product->b_type == OPMILL_INT8) {
        const int8_t *const from = (const int8_t *)position->b_zero + column;
        for (int64_t i = 0; i < count; i++) {
            zeros[i] = (REAL)from[i];
        }
    } else {
        const uint8_t *const from = (const uint8_t *)position->b_zero + column;
        for (int64_t i = 0; i < count; i++) {
            zeros[i] = (REAL)from[i] - 128;
        }
    }
}

/* The zero points of `used` columns from `column + first` on, whose totals begin at `first`; whole
 * vectors of sums and totals are there. */
static void NAME(product_subtract_zeros)(const opmill_matrix_product *product,
                                         const opmill_product_position *position,
                                         const NAME(product_totals) *totals, int64_t row,
                                         int64_t rows, int64_t column, int64_t first, int64_t used,
                                         REAL *sums, int64_t pitch) {
    const REAL *const of_columns = totals->columns + first;
    const bool is_one = product->b_zero_column == 0; /* for all columns */
    REAL zeros[OPMILL_PRODUCT_VECTORS * LANES], rest[OPMILL_PRODUCT_VECTORS * LANES];
    REAL column_zero = 0;
    if (is_one) {
        column_zero = NAME(product_zero)(position->b_zero, 0, product->b_type, OPMILL_INT8);
    } else {
        NAME(product_column_zeros)(zeros, product, position, column + first, used);
        for (int64_t i = 0; i < used; i++) {
            rest[i] = (REAL)product->k * zeros[i] - of_columns[i];
        }
    }
    for (int64_t r = 0; r < rows; r++) {
        const REAL zero = NAME(product_zero)(position->a_zero, (row + r) * product->a_zero_row,
                                             product->a_type, OPMILL_UINT8);
        const REAL total = totals->rows[r];
        REAL *const line = sums + r * pitch;
        if (is_one) {
            const VECTOR added = OP(repeat)((zero * (REAL)product->k - total) * column_zero);
            const VECTOR factor = OP(repeat)(zero);
            for (int64_t i = 0; i < used; i += LANES) {
                OP(store)(line + i, OP(load)(line + i) + added - OP(load)(of_columns + i) * factor);
            }
        } else {
            for (int64_t i = 0; i < used; i++) {
                line[i] += zero * rest[i] - zeros[i] * total;
            }
        }
    }
}
