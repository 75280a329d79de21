/* Sums become elements of C: multiplied by alpha, with the bias added, rounded to its type. */

#if !IS_INTEGER
/* alpha times a vector of sums, plus beta times their biases. */
static inline VECTOR NAME(product_scaled)(VECTOR sums, VECTOR alpha, VECTOR biases, VECTOR beta) {
    return OP(fma)(sums, alpha, OP(fma)(biases, beta, OP(zero)()));
}

/* The biases of `count` columns, at most LANES, from `at` on. */
static inline VECTOR NAME(product_biases)(const opmill_matrix_product *product, const char *at,
                                          int64_t count) {
    REAL values[LANES] = {0};
    const int64_t bytes = opmill_type_bytes(product->c_type);
    NAME(product_widen)(values, at, product->bias_column * bytes, count, product->c_type);
    return OP(load)(values);
}
#endif

/* Stores sums as elements of C, where they may already lie. */
static void NAME(product_store)(const opmill_matrix_product *product,
                                const opmill_product_position *position, int64_t row,
                                int64_t column, int64_t rows, int64_t columns, const REAL *sums,
                                int64_t pitch) {
    const int64_t bytes = opmill_type_bytes(product->c_type);
#if !IS_INTEGER
    const VECTOR alpha = OP(repeat)((REAL)product->alpha);
    const VECTOR beta = OP(repeat)((REAL)product->beta);
    const NAME(product_limits) limits = NAME(product_limits_of)(product->limits);
#endif
    for (int64_t r = 0; r < rows; r++) {
        char *const out = position->c + ((row + r) * product->c_row + column) * bytes;
        const REAL *const from = sums + r * pitch;
#if IS_INTEGER
        memcpy(out, from, (size_t)columns * sizeof(REAL));
#else
        const bool is_wide = bytes == (int64_t)sizeof(REAL);
        const char *const bias =
            position->bias != NULL
                ? position->bias +
                      ((row + r) * product->bias_row + column * product->bias_column) * bytes
                : NULL;
        const bool is_plain = bias == NULL && product->alpha == 1; /* a zero keeps its sign */
        const bool is_row = bias != NULL && is_wide && product->bias_column == 1;
        VECTOR terms = OP(zero)();
        if (bias != NULL && product->bias_column == 0) { /* one for the whole row */
            terms = OP(repeat)(NAME(product_element)(bias, product->c_type));
        }
        int64_t i = 0;
        if (is_wide && !is_plain && product->bias_column == 0) { /* one bias for all */
            for (; i + LANES <= columns; i += LANES) {
                const VECTOR scaled = NAME(product_scaled)(OP(load)(from + i), alpha, terms, beta);
                OP(store)(out + i * bytes, NAME(product_limited)(scaled, &limits));
            }
        }
        for (; i < columns; i += LANES) {
            const int64_t count = columns - i < LANES ? columns - i : LANES;
            if (is_row && count == LANES) {
                terms = OP(load)(bias + i * bytes);
            } else if (bias != NULL && product->bias_column != 0) {
                terms =
                    NAME(product_biases)(product, bias + i * product->bias_column * bytes, count);
            }
            if (is_wide && count == LANES) {
                const VECTOR taken = OP(load)(from + i);
                const VECTOR scaled =
                    is_plain ? taken : NAME(product_scaled)(taken, alpha, terms, beta);
                OP(store)(out + i * bytes, NAME(product_limited)(scaled, &limits));
            } else {
                REAL values[LANES] = {0};
                memcpy(values, from + i, (size_t)count * sizeof(REAL));
                if (!is_plain) {
                    OP(store)(values, NAME(product_scaled)(OP(load)(values), alpha, terms, beta));
                }
                OP(store)(values, NAME(product_limited)(OP(load)(values), &limits));
                NAME(product_narrow)(out + i * bytes, values, count, product->c_type);
            }
        }
#endif
    }
}

#if !IS_INTEGER
/* The same for tiles whose sums lie in C, of which all columns are used. */
static NAME(product_last) NAME(product_last_of)(const opmill_matrix_product *product) {
    const NAME(product_limits) limits = NAME(product_limits_of)(product->limits);
    const bool is_plain = product->bias == NULL && product->alpha == 1;
    NAME(product_last) last;
    last.alpha = OP(repeat)((REAL)product->alpha);
    last.beta = OP(repeat)(is_plain ? 1 : (REAL)product->beta);
    last.start = OP(repeat)(is_plain ? (REAL)-0.0 : 0); /* which keeps the sign of a zero */
    last.low = limits.low;
    last.high = limits.high;
    last.bias_row = product->bias != NULL ? product->bias_row : 0;
    last.has_columns = product->bias != NULL && product->bias_column == 1;
    return last;
}

/* The biases of a row from a column on. */
static const REAL *NAME(product_bias)(const opmill_matrix_product *product,
                                      const opmill_product_position *position, int64_t row,
                                      int64_t column) {
    static const REAL NONE = 0, NONE_PLAIN = (REAL)-0.0;
    if (position->bias == NULL) {
        return product->alpha == 1 ? &NONE_PLAIN : &NONE;
    }
    return (const REAL *)(const void *)position->bias + row * product->bias_row +
           column * product->bias_column;
}
#endif
