/* The register tile of every product of matrices, for one type and instruction set: some rows of
 * sums, one to three vectors wide. The file that includes this defines REAL (what is computed
 * with), VECTOR, LANES, OP(operation), NAME(function) and UNROLLED.
 */
/* What a tile does beside its sums: it copies its inputs, or fetches those of tiles to come. */
typedef struct NAME(product_beside) {
    REAL *copy;          /* or NULL */
    const char *fetched; /* or NULL */
    int64_t fetched_step;
} NAME(product_beside);

/* sums[row][lane] += factors[row][channel] * inputs[channel][lane], or = if it is the first sum,
 * for `rows` and `vectors` that are constants: each sum in the order of the channels. A factor lies
 * at row * factors_row + channel * factors_step. Steps of inputs are in bytes, as they may be
 * misaligned. */
OPMILL_INLINE void NAME(product_tile)(const int rows, const int vectors, REAL *sums, int64_t pitch,
                                      const REAL *factors, int64_t factors_row,
                                      int64_t factors_step, const char *inputs, int64_t inputs_step,
                                      int64_t channels, bool is_first,
                                      const NAME(product_beside) *beside) {
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
    UNROLLED for (int r = 0; r < rows; r++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            OP(store)(sums + r * pitch + v * LANES, acc[r][v]);
        }
    }
}
