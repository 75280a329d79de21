/* The loops for one element type and instruction set; moments_kinds.h includes this. ELEMENT is
 * what memory holds, REAL what is computed with. If WIDENS, they differ: WIDEN(from, space, count)
 * gives elements as reals, in the space, and NARROW(from, to, count) rounds reals. */
#define SUM(a, b) ((a) + (b))
#define BLOCK_OF(left) ((left) < OPMILL_LANES_BLOCK ? (left) : OPMILL_LANES_BLOCK)
#define CHUNK_OF(left) ((left) < NAME(CHUNK) ? (left) : NAME(CHUNK))

enum {
    NAME(CHUNK) = WIDENS ? OPMILL_LANES_CHUNK : OPMILL_LANES_BLOCK,
    NAME(SPACE) = WIDENS ? OPMILL_LANES_CHUNK : 1
};

static double NAME(sum)(const void *from, int64_t count) {
    REAL wide[NAME(SPACE)];
    const ELEMENT *const x = from;
    double total = 0;
    (void)wide;
    for (int64_t i = 0; i < count; i += OPMILL_LANES_BLOCK) {
        const int64_t size = BLOCK_OF(count - i);
        REAL lanes[OPMILL_LANES] = {0}, sum = 0;
        for (int64_t begin = 0; begin < size; begin += NAME(CHUNK)) {
            const int64_t chunk = CHUNK_OF(size - begin);
            const REAL *const block = WIDEN(x + i + begin, wide, chunk);
            int64_t k = 0;
            for (; k + OPMILL_LANES <= chunk; k += OPMILL_LANES) {
                for (int lane = 0; lane < OPMILL_LANES; lane++) {
                    lanes[lane] += block[k + lane];
                }
            }
            if (begin + chunk == size) {
                if (size >= OPMILL_LANES) {
                    OPMILL_LANES_JOIN(lanes, SUM);
                    sum = lanes[0];
                }
                for (; k < chunk; k++) {
                    sum += block[k];
                }
            }
        }
        total += (double)sum;
    }
    return total;
}

static void NAME(spread)(const void *from, int64_t count, double center, double *sums) {
    REAL wide[NAME(SPACE)];
    const ELEMENT *const x = from;
    const REAL high = (REAL)center, low = (REAL)(center - (double)high);
    (void)wide;
    for (int64_t i = 0; i < count; i += OPMILL_LANES_BLOCK) {
        const int64_t size = BLOCK_OF(count - i);
        REAL lanes[OPMILL_LANES] = {0}, squares[OPMILL_LANES] = {0}, sum = 0, square = 0;
        for (int64_t begin = 0; begin < size; begin += NAME(CHUNK)) {
            const int64_t chunk = CHUNK_OF(size - begin);
            const REAL *const block = WIDEN(x + i + begin, wide, chunk);
            int64_t k = 0;
            for (; k + OPMILL_LANES <= chunk; k += OPMILL_LANES) {
                for (int lane = 0; lane < OPMILL_LANES; lane++) {
                    const REAL less = (block[k + lane] - high) - low;
                    lanes[lane] += less;
                    squares[lane] += less * less;
                }
            }
            if (begin + chunk == size) {
                if (size >= OPMILL_LANES) {
                    OPMILL_LANES_JOIN(lanes, SUM);
                    OPMILL_LANES_JOIN(squares, SUM);
                    sum = lanes[0];
                    square = squares[0];
                }
                for (; k < chunk; k++) {
                    const REAL less = (block[k] - high) - low;
                    sum += less;
                    square += less * less;
                }
            }
        }
        sums[0] += (double)sum;
        sums[1] += (double)square;
    }
}

static void NAME(shift)(const void *from, void *to, int64_t count, double center, double factor,
                        double bias) {
    REAL space[NAME(SPACE)], wide[NAME(SPACE)];
    const ELEMENT *const x = from;
    ELEMENT *const y = to;
    const REAL high = (REAL)center, low = (REAL)(center - (double)high);
    const REAL by = (REAL)factor, and = (REAL)bias;
    (void)wide, (void)space;
    for (int64_t i = 0; i < count; i += NAME(CHUNK)) {
        const int64_t size = CHUNK_OF(count - i);
        const REAL *restrict const block = WIDEN(x + i, wide, size);
        REAL *restrict const result = WIDENS ? space : (REAL *)(void *)(y + i);
        for (int64_t k = 0; k < size; k++) {
            result[k] = ((block[k] - high) - low) * by + and;
        }
        NARROW(result, y + i, size);
    }
}

static void NAME(shift_each)(const void *from, void *to, int64_t count, double center,
                             double factor, const void *scales, const void *biases) {
    REAL space[NAME(SPACE)], wide[NAME(SPACE)];
    const REAL *restrict const x = WIDEN((const ELEMENT *)from, wide, count);
    const REAL *restrict const scale = scales;
    const REAL *restrict const bias = biases;
    REAL *restrict const y = WIDENS ? space : to;
    const REAL high = (REAL)center, low = (REAL)(center - (double)high), by = (REAL)factor;
    (void)wide, (void)space;
    if (bias != NULL) {
        for (int64_t k = 0; k < count; k++) {
            y[k] = ((x[k] - high) - low) * by * scale[k] + bias[k];
        }
    } else {
        for (int64_t k = 0; k < count; k++) {
            y[k] = ((x[k] - high) - low) * by * scale[k];
        }
    }
    NARROW(y, to, count);
}

static void NAME(shift_columns)(const void *from, void *to, int64_t rows, int64_t stride,
                                int64_t columns, const double *centers, const double *factors,
                                const double *biases) {
    REAL high[OPMILL_MOMENTS_COLUMNS], low[OPMILL_MOMENTS_COLUMNS];
    REAL by[OPMILL_MOMENTS_COLUMNS], and[OPMILL_MOMENTS_COLUMNS];
    REAL space[OPMILL_MOMENTS_COLUMNS], wide[OPMILL_MOMENTS_COLUMNS];
    (void)wide, (void)space;
    for (int64_t k = 0; k < columns; k++) {
        high[k] = (REAL)centers[k];
        low[k] = (REAL)(centers[k] - (double)high[k]);
        by[k] = (REAL)factors[k];
        and[k] = (REAL)biases[k];
    }
    for (int64_t i = 0; i < rows; i++) {
        const ELEMENT *const x = (const ELEMENT *)from + i * stride;
        ELEMENT *const y = (ELEMENT *)to + i * stride;
        const REAL *restrict const row = WIDEN(x, wide, columns);
        REAL *restrict const result = WIDENS ? space : (REAL *)(void *)y;
        for (int64_t k = 0; k < columns; k++) {
            result[k] = ((row[k] - high[k]) - low[k]) * by[k] + and[k];
        }
        NARROW(result, y, columns);
    }
}

static const void *NAME(widen)(const void *from, void *space, int64_t count) {
    (void)space, (void)count;
    return WIDEN((const ELEMENT *)from, (REAL *)space, count);
}

static void NAME(narrow)(const void *from, void *to, int64_t count) {
    if (!WIDENS) {
        memcpy(to, from, (size_t)count * sizeof(REAL));
    }
    NARROW((const REAL *)from, (ELEMENT *)to, count);
}

static void NAME(add)(const void *first, const void *second, const void *third, void *to,
                      int64_t count) {
    const REAL *restrict const a = first;
    const REAL *restrict const b = second;
    const REAL *restrict const bias = third;
    REAL *restrict const y = to;
    for (int64_t k = 0; k < count && bias == NULL; k++) {
        y[k] = a[k] + b[k];
    }
    for (int64_t k = 0; k < count && bias != NULL; k++) {
        y[k] = a[k] + b[k] + bias[k];
    }
}

static const opmill_moments_loops NAME(loops) = {
    NAME(sum),           NAME(spread), NAME(shift),  NAME(shift_each),
    NAME(shift_columns), NAME(widen),  NAME(narrow), NAME(add),
};

#undef SUM
#undef BLOCK_OF
#undef CHUNK_OF
#undef NAME
#undef ELEMENT
#undef REAL
#undef WIDENS
#undef WIDEN
#undef NARROW
