/* The register tile of the kernels that multiply matrices (few.h, columns.h), for one type and
 * instruction set.
 */

/* Rows of the highest tile, so that sums, inputs and a factor have registers; with three vectors. */
enum { NAME(product_rows) = VECTOR_REGISTERS == 32 ? 9 : 4 };

/* sums[row][lane] += factors[channel][row] * inputs[channel][lane], or = if it is the first sum,
 * for `rows` and `vectors` that are constants. The inputs are copied too, if asked for, and those of
 * the tile after the next one are fetched, which gives them the time of a tile to arrive; their step
 * is in bytes, as they may be misaligned. */
static inline __attribute__((always_inline)) void
NAME(product_tile)(const int rows, const int vectors, REAL *sums, int64_t pitch,
                   const REAL *factors, int64_t factors_step, const char *inputs,
                   int64_t inputs_step, int64_t channels, bool is_first, REAL *copy) {
    VECTOR acc[9][3];
    UNROLLED for (int r = 0; r < rows; r++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[r][v] = is_first ? OP(zero)() : OP(load)(sums + r * pitch + v * LANES);
        }
    }
    for (int64_t c = 0; c < channels; c++) {
        VECTOR input[3];
        UNROLLED for (int v = 0; v < vectors; v++) {
            input[v] = OP(load)(inputs + v * (int64_t)sizeof(VECTOR));
        }
        UNROLLED for (int r = 0; r < rows; r++) {
            const VECTOR factor = OP(repeat)(factors[r]);
            UNROLLED for (int v = 0; v < vectors; v++) {
                acc[r][v] = OP(fma)(input[v], factor, acc[r][v]);
            }
        }
        if (copy) {
            UNROLLED for (int v = 0; v < vectors; v++) {
                OP(store)(copy + v * LANES, input[v]);
                __builtin_prefetch(inputs + (2 * vectors + v) * (int64_t)sizeof(VECTOR));
            }
            copy += vectors * LANES;
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

typedef void NAME(product_function)(REAL *sums, int64_t pitch, const REAL *factors,
                                    int64_t factors_step, const char *inputs, int64_t inputs_step,
                                    int64_t channels, bool is_first, REAL *copy);

#define PRODUCT_TILE(ROWS, VECTORS)                                                             \
    static void NAME(product_##ROWS##_##VECTORS)(                                               \
        REAL * sums, int64_t pitch, const REAL *factors, int64_t factors_step,                  \
        const char *inputs, int64_t inputs_step, int64_t channels, bool is_first, REAL *copy) { \
        NAME(product_tile)(ROWS, VECTORS, sums, pitch, factors, factors_step, inputs,           \
                           inputs_step, channels, is_first, copy);                              \
    }
#define PRODUCT_TILES(ROWS) PRODUCT_TILE(ROWS, 3) PRODUCT_TILE(ROWS, 2)
PRODUCT_TILES(1)
PRODUCT_TILES(2)
PRODUCT_TILES(3)
PRODUCT_TILES(4)
#if VECTOR_REGISTERS == 32
PRODUCT_TILES(5)
PRODUCT_TILES(6)
PRODUCT_TILES(7)
PRODUCT_TILES(8)
PRODUCT_TILES(9)
#endif
#undef PRODUCT_TILES
#undef PRODUCT_TILE

/* How many tiles are needed for so many rows. They are all about as high, the first ones a row
 * higher than the others where they cannot be equal. */
static inline int64_t NAME(product_tiles)(int64_t rows) {
    return (rows + NAME(product_rows) - 1) / NAME(product_rows);
}

/* The tile for so many rows, and for two or three vectors. */
static NAME(product_function) *NAME(product_choose)(int64_t rows, int64_t vectors) {
#define PRODUCT_PAIR(ROWS) {NAME(product_##ROWS##_2), NAME(product_##ROWS##_3)}
    static NAME(product_function) *const TILES[][2] = {
        PRODUCT_PAIR(1), PRODUCT_PAIR(2), PRODUCT_PAIR(3), PRODUCT_PAIR(4),
#if VECTOR_REGISTERS == 32
        PRODUCT_PAIR(5), PRODUCT_PAIR(6), PRODUCT_PAIR(7), PRODUCT_PAIR(8), PRODUCT_PAIR(9),
#endif
    };
#undef PRODUCT_PAIR
    return TILES[rows - 1][vectors - 2];
}
