/* The loops over adjacent columns; body.h includes this. */
#define ROW(r) WIDEN(x + (r) * step, wide, width)

/* The largest element of each column. */
static void NAME(peaks)(const ELEMENT *x, int64_t length, int64_t step, int64_t width,
                        REAL *restrict found) {
    REAL wide[OPMILL_SOFTMAX_COLUMNS];
    (void)wide;
    for (int64_t k = 0; k < width; k++) {
        found[k] = -INFINITY;
    }
    for (int64_t i = 0; i < length; i++) {
        const REAL *const row = ROW(i);
        for (int64_t k = 0; k < width; k++) {
            found[k] = LARGER(found[k], row[k]);
        }
    }
}

/* The sums of the exponentials of each column; where there is room in `y`, these too. */
static void NAME(sums)(const ELEMENT *x, REAL *restrict y, int64_t length, int64_t step,
                       int64_t width, const REAL *largest, double *restrict sums) {
    REAL wide[OPMILL_SOFTMAX_COLUMNS], space[OPMILL_SOFTMAX_COLUMNS];
    REAL parts[OPMILL_SOFTMAX_COLUMNS];
    EXP_BLOCK block;
    (void)wide;
    for (int64_t k = 0; k < width; k++) {
        sums[k] = 0;
    }
    for (int64_t i = 0; i < length;) {
        const int64_t end = length - i < OPMILL_LANES_ROWS ? length : i + OPMILL_LANES_ROWS;
        for (int64_t k = 0; k < width; k++) {
            parts[k] = 0;
        }
        for (; i < end; i++) {
            const REAL *const row = ROW(i);
            REAL *const powers = y != NULL ? y + i * step : space;
            for (int64_t k = 0; k < width; k++) {
                EXP(put)(&block, k, row[k] - largest[k]);
            }
            for (int64_t k = 0; k < width; k++) {
                const REAL power = EXP(get)(&block, k);
                powers[k] = power;
                parts[k] += power;
            }
        }
        for (int64_t k = 0; k < width; k++) {
            sums[k] += (double)parts[k];
        }
    }
}

static void NAME(softmax_columns)(const void *from, void *to, int64_t length, int64_t step,
                                  int64_t width) {
    REAL largest[OPMILL_SOFTMAX_COLUMNS], factors[OPMILL_SOFTMAX_COLUMNS];
    double sums[OPMILL_SOFTMAX_COLUMNS];
    const ELEMENT *const x = from;
    ELEMENT *const y = to;
    NAME(peaks)(x, length, step, width, largest);
    NAME(sums)(x, WIDENS ? NULL : to, length, step, width, largest, sums);
    for (int64_t k = 0; k < width; k++) {
        factors[k] = (REAL)(1 / sums[k]);
    }
    for (int64_t i = 0; i < length; i++) {
#if WIDENS
        REAL wide[OPMILL_SOFTMAX_COLUMNS];
        EXP_BLOCK block;
        (void)ROW(i);
        for (int64_t k = 0; k < width; k++) {
            EXP(put)(&block, k, wide[k] - largest[k]);
        }
        for (int64_t k = 0; k < width; k++) {
            wide[k] = EXP(get)(&block, k) * factors[k];
        }
        NARROW(wide, y + i * step, width);
#else
        for (int64_t k = 0; k < width; k++) {
            y[i * step + k] *= factors[k];
        }
#endif
    }
#if !WIDENS
    (void)x;
#endif
}

static void NAME(log_softmax_columns)(const void *from, void *to, int64_t length, int64_t step,
                                      int64_t width) {
    REAL largest[OPMILL_SOFTMAX_COLUMNS], logarithms[OPMILL_SOFTMAX_COLUMNS];
    REAL wide[OPMILL_SOFTMAX_COLUMNS];
    double sums[OPMILL_SOFTMAX_COLUMNS];
    const ELEMENT *restrict const x = from;
    ELEMENT *restrict const y = to;
    (void)wide;
    NAME(peaks)(x, length, step, width, largest);
    NAME(sums)(x, NULL, length, step, width, largest, sums);
    for (int64_t k = 0; k < width; k++) {
        logarithms[k] = (REAL)opmill_log_double(sums[k]);
    }
    for (int64_t i = 0; i < length; i++) {
        const REAL *const row = ROW(i);
        REAL *const result = WIDENS ? wide : (REAL *)(void *)(y + i * step);
        for (int64_t k = 0; k < width; k++) {
            result[k] = (row[k] - largest[k]) - logarithms[k];
        }
        NARROW(result, y + i * step, width);
    }
}

static void NAME(hardmax_columns)(const void *from, void *to, int64_t length, int64_t step,
                                  int64_t width) {
    REAL largest[OPMILL_SOFTMAX_COLUMNS], wide[OPMILL_SOFTMAX_COLUMNS];
    int64_t chosen[OPMILL_SOFTMAX_COLUMNS];
    const ELEMENT *const x = from;
    ELEMENT *const y = to;
    (void)wide;
    for (int64_t k = 0; k < width; k++) {
        largest[k] = -INFINITY;
        chosen[k] = 0;
    }
    for (int64_t i = 0; i < length; i++) {
        const REAL *const row = ROW(i);
        for (int64_t k = 0; k < width; k++) {
            const int more = row[k] > largest[k] || (row[k] != row[k] && largest[k] == largest[k]);
            largest[k] = more ? row[k] : largest[k];
            chosen[k] = more ? i : chosen[k];
        }
    }
    for (int64_t i = 0; i < length; i++) {
        for (int64_t k = 0; k < width; k++) {
            y[i * step + k] = chosen[k] == i ? ONE : 0;
        }
    }
}

#undef ROW
