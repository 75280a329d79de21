/* The register tile of every product of matrices, for one type and instruction set: some rows of
 * sums, one to three vectors wide. The file that includes this defines REAL (what is computed
 * with), VECTOR, LANES, OP(operation), NAME(function) and UNROLLED.
 */
/* Side tasks of a tile: it copies its inputs, or prefetches those of tiles to come. */
typedef struct NAME(product_beside) {
    REAL *copy;          /* or NULL */
    const char *fetched; /* or NULL */
    int64_t fetched_step;
} NAME(product_beside);

/* Last step of float sums, as they are stored: alpha times the sum plus (beta times a
 * bias plus `start`), within limits. */
typedef struct NAME(product_last) {
    VECTOR alpha, beta, start, low, high;
    int64_t bias_row; /* from the biases of a row to those of the next one */
    bool has_columns; /* whether each column has its bias; they lie next to each other */
} NAME(product_last);

#if defined(IS_INTEGER) && IS_INTEGER
#define HAS_LAST 0
#else
#define HAS_LAST 1
OPMILL_INLINE VECTOR NAME(product_ended)(VECTOR sums, VECTOR biases,
                                         const NAME(product_last) *last) {
    const VECTOR scaled = OP(fma)(sums, last->alpha, OP(fma)(biases, last->beta, last->start));
    return OP(lowered)(last->high, OP(raised)(last->low, scaled));
}
#endif

/* sums[row][lane] += factors[row][channel] * inputs[channel][lane], or = if it is the first sum,
 * for `rows` and `vectors` that are constants: each sum in the order of the channels. A factor lies
 * at row * factors_row + channel * factors_step. Steps of inputs are in bytes, as they may be
 * misaligned. `last` is given with the last channels, and `bias` has those of the first row. */
OPMILL_INLINE void NAME(product_tile)(const int rows, const int vectors, REAL *sums, int64_t pitch,
                                      const REAL *factors, int64_t factors_row,
                                      int64_t factors_step, const char *inputs, int64_t inputs_step,
                                      int64_t channels, bool is_first,
                                      const NAME(product_beside) *beside,
                                      const NAME(product_last) *last, const REAL *bias) {
    REAL *copy = beside ? beside->copy : NULL;
    const char *fetched = beside ? beside->fetched : NULL;
    const int64_t fetched_step = fetched ? beside->fetched_step : 0;
    VECTOR acc[9][3];
    UNROLLED for (int r = 0; r < rows; r++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[r][v] = is_first ? OP(zero)() : OP(load)(sums + r * pitch + v * LANES);
            OPMILL_PREFETCH_WRITE(sums + r * pitch + v * LANES); /* there by the time of storing */
        }
    }
    for (int64_t c = 0; c < channels; c++) {
        VECTOR input[3];
        UNROLLED for (int v = 0; v < vectors; v++) {
            input[v] = OP(load)(inputs + v * (int64_t)sizeof(VECTOR));
        }
        UNROLLED for (int r = 0; r < rows; r++) {
            const VECTOR factor = OP(repeat)(factors[r * factors_row]);
            UNROLLED for (int v = 0; v < vectors; v++) {
                acc[r][v] = OP(fma)(input[v], factor, acc[r][v]);
            }
        }
        if (beside) {
            if (copy) {
                UNROLLED for (int v = 0; v < vectors; v++) {
                    OP(store)(copy + v * LANES, input[v]);
                }
                copy += vectors * LANES;
            }
            if (fetched) {
                UNROLLED for (int v = 0; v < vectors; v++) {
                    OPMILL_PREFETCH(fetched + v * (int64_t)sizeof(VECTOR));
                }
                fetched += fetched_step;
            }
        }
        factors += factors_step;
        inputs += inputs_step;
    }
#if HAS_LAST
    if (last && last->has_columns) {
        UNROLLED for (int r = 0; r < rows; r++) {
            UNROLLED for (int v = 0; v < vectors; v++) {
                const VECTOR biases = OP(load)(bias + r * last->bias_row + v * LANES);
                acc[r][v] = NAME(product_ended)(acc[r][v], biases, last);
            }
        }
    } else if (last) {
        UNROLLED for (int r = 0; r < rows; r++) {
            const VECTOR biases = OP(repeat)(bias[r * last->bias_row]);
            UNROLLED for (int v = 0; v < vectors; v++) {
                acc[r][v] = NAME(product_ended)(acc[r][v], biases, last);
            }
        }
    }
#else
    (void)last;
    (void)bias;
#endif
    UNROLLED for (int r = 0; r < rows; r++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            OP(store)(sums + r * pitch + v * LANES, acc[r][v]);
        }
    }
}
#undef HAS_LAST
