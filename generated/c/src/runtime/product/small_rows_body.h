/* Few rows of A: each row of B is read once and added to a row of sums; or, where it is the columns
 * of B that lie next to each other in memory, each sum is a dot product. */

/* sums[lane] += factors[i] * inputs[i][lane] for eight rows of B, in the order of these. */
static void NAME(product_eight)(REAL *sums, int64_t columns, const REAL *factors,
                                int64_t factors_step, const char *inputs, int64_t inputs_step) {
    VECTOR factor[8];
    int64_t i = 0;
    UNROLLED for (int k = 0; k < 8; k++) {
        factor[k] = OP(repeat)(factors[k * factors_step]);
    }
    for (; i + LANES <= columns; i += LANES) {
        VECTOR sum = OP(load)(sums + i);
        UNROLLED for (int k = 0; k < 8; k++) {
            sum = OP(fma)(OP(load)(inputs + k * inputs_step + i * (int64_t)sizeof(REAL)), factor[k],
                          sum);
        }
        OP(store)(sums + i, sum);
    }
    for (; i < columns; i++) {
        REAL sum = sums[i];
        for (int k = 0; k < 8; k++) {
            sum += ((const REAL *)(const void *)(inputs + k * inputs_step))[i] *
                   factors[k * factors_step];
        }
        sums[i] = sum;
    }
}

static void NAME(product_one)(REAL *sums, int64_t columns, REAL factor, const REAL *inputs) {
    const VECTOR repeated = OP(repeat)(factor);
    int64_t i = 0;
    for (; i + LANES <= columns; i += LANES) {
        OP(store)(sums + i, OP(fma)(OP(load)(inputs + i), repeated, OP(load)(sums + i)));
    }
    for (; i < columns; i++) {
        sums[i] += inputs[i] * factor;
    }
}

/* The sum of a[i] * b[i], in four vectors of sums, which are added at the end. */
static REAL NAME(product_dot)(const REAL *a, const REAL *b, int64_t count) {
    VECTOR sums[4];
    REAL lanes[LANES], sum = 0;
    int64_t i = 0;
    UNROLLED for (int v = 0; v < 4; v++) {
        sums[v] = OP(zero)();
    }
    for (; i + 4 * LANES <= count; i += 4 * LANES) {
        UNROLLED for (int v = 0; v < 4; v++) {
            sums[v] = OP(fma)(OP(load)(a + i + v * LANES), OP(load)(b + i + v * LANES), sums[v]);
        }
    }
    for (; i + LANES <= count; i += LANES) {
        sums[0] = OP(fma)(OP(load)(a + i), OP(load)(b + i), sums[0]);
    }
    OP(store)(lanes, OP(add)(OP(add)(sums[0], sums[1]), OP(add)(sums[2], sums[3])));
    for (int lane = 0; lane < LANES; lane++) {
        sum += lanes[lane];
    }
    for (; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void NAME(product_rows)(const opmill_product_layout *layout, int64_t batch, int64_t row,
                                   int64_t column, int64_t rows, int64_t columns,
                                   char *workspace) {
    const opmill_matrix_product *const product = layout->product;
    opmill_product_position position;
    opmill_product_locate(&position, layout, batch);
    const REAL *const a = (const REAL *)(const void *)position.a + row * product->a_row;
    const REAL *const b = (const REAL *)(const void *)position.b + column * product->b_column;
    const int64_t k_step = product->b_row * (int64_t)sizeof(REAL);
    REAL *sums = (REAL *)(void *)(workspace + layout->sums_offset);
    int64_t pitch = (columns + LANES - 1) / LANES * LANES;
    if (!layout->buffers) {
        sums = (REAL *)(void *)position.c + row * product->c_row + column;
        pitch = product->c_row;
    }
    const bool adds = opmill_product_adds(layout);
    if (layout->variant == OPMILL_PRODUCT_DOTS) {
        for (int64_t i = 0; i < columns; i++) {
            for (int64_t r = 0; r < rows; r++) {
                const REAL dot = NAME(product_dot)(a + r * product->a_row,
                                                   b + i * product->b_column, product->k);
                sums[r * pitch + i] = adds ? sums[r * pitch + i] + dot : dot;
            }
        }
    } else {
        int64_t k = 0;
        for (int64_t r = 0; r < rows && !adds; r++) {
            memset(sums + r * pitch, 0, (size_t)columns * sizeof(REAL));
        }
        for (; k + 8 <= product->k; k += 8) {
            for (int64_t r = 0; r < rows; r++) {
                NAME(product_eight)(sums + r * pitch, columns,
                                    a + r * product->a_row + k * product->a_column,
                                    product->a_column, (const char *)(b + k * product->b_row),
                                    k_step);
            }
        }
        for (; k < product->k; k++) {
            for (int64_t r = 0; r < rows; r++) {
                NAME(product_one)(sums + r * pitch, columns,
                                  a[r * product->a_row + k * product->a_column],
                                  b + k * product->b_row);
            }
        }
    }
    if (product->finish != NULL) {
        product->finish(product, batch, row, column, rows, columns, sums, pitch);
    } else if (layout->buffers || (layout->scales && !adds)) {
        NAME(product_store)(product, &position, row, column, rows, columns, sums, pitch);
    }
}
