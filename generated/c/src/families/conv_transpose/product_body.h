/* The register tile of the kernels that multiply matrices (few.h, columns.h), for one type and
 * instruction set.
 */

/* Rows of the highest tile: sums, inputs and a factor have registers, with three vectors. */
enum { NAME(product_rows) = VECTOR_REGISTERS == 32 ? 9 : 4 };

/* So many channels are many, where inputs are fetched. Measured. */
enum { NAME(product_many_channels) = 32 };

/* What a tile does beside its sums: it copies its inputs, or fetches those of tiles to come. */
typedef struct NAME(product_beside) {
    REAL *copy;          /* or NULL */
    const char *fetched; /* or NULL */
    int64_t fetched_step;
} NAME(product_beside);

/* sums[row][lane] += factors[channel][row] * inputs[channel][lane], or = if it is the first sum,
 * for `rows` and `vectors` that are constants. Steps of inputs are in bytes, as they may be
 * misaligned. */
OPMILL_INLINE void NAME(product_tile)(const int rows, const int vectors, REAL *sums, int64_t pitch,
                                      const REAL *factors, int64_t factors_step, const char *inputs,
                                      int64_t inputs_step, int64_t channels, bool is_first,
                                      const NAME(product_beside) *beside) {
    REAL *copy = beside ? beside->copy : NULL;
    const char *fetched = beside ? beside->fetched : NULL;
    const int64_t fetched_step = fetched ? beside->fetched_step : 0;
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
        if (beside) {
            if (copy) {
                UNROLLED for (int v = 0; v < vectors; v++) {
                    OP(store)(copy + v * LANES, input[v]);
                }
                copy += vectors * LANES;
            }
            if (fetched) {
                UNROLLED for (int v = 0; v < vectors; v++) {
                    __builtin_prefetch(fetched + v * (int64_t)sizeof(VECTOR), 0, 2);
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

typedef void NAME(product_function)(REAL *sums, int64_t pitch, const REAL *factors,
                                    int64_t factors_step, const char *inputs, int64_t inputs_step,
                                    int64_t channels, bool is_first,
                                    const NAME(product_beside) *beside);

#define PRODUCT_TILE(ROWS, VECTORS)                                                             \
    static void NAME(product_##ROWS##_##VECTORS)(                                               \
        REAL * sums, int64_t pitch, const REAL *factors, int64_t factors_step,                  \
        const char *inputs, int64_t inputs_step, int64_t channels, bool is_first,               \
        const NAME(product_beside) * beside) {                                                  \
        NAME(product_tile)(ROWS, VECTORS, sums, pitch, factors, factors_step, inputs,           \
                           inputs_step, channels, is_first, beside);                            \
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

/* sums[row][lane] += factors[channel][row] * inputs[channel][lane], or = if it is the first sum, for
 * any number of rows and two or three vectors: tiles that are all about as high, the first ones a
 * row higher than the others where they cannot be equal.
 *
 * Inputs that come from memory are read once, if there is a block for them: the first tile copies
 * them there, so that their rows follow each other for the tiles below. Inputs of lanes to come are
 * fetched beside it. Where there are two tiles, that is left to the second, so that memory is at work
 * all the time. Of many channels, those of the next lanes are fetched, as more would drive each other
 * out of a cache before their turn, and else those of the lanes after them. */
static void NAME(product)(REAL *sums, int64_t pitch, int64_t rows, int64_t vectors,
                          const REAL *factors, int64_t factors_step, const char *inputs,
                          int64_t inputs_step, int64_t channels, bool is_first, REAL *block) {
    const int64_t width = vectors * (int64_t)sizeof(VECTOR);
    const int64_t tiles = (rows + NAME(product_rows) - 1) / NAME(product_rows);
    const int64_t height = rows / tiles;
    const int64_t higher = rows % tiles;
    const int64_t ahead = (channels > NAME(product_many_channels) ? 1 : 2) * width;
    const NAME(product_beside) copying = {block, tiles > 2 ? inputs + ahead : NULL, inputs_step};
    const NAME(product_beside) fetching = {NULL, inputs + ahead, inputs_step};
    int64_t r = 0;
    for (int64_t i = 0; i < tiles; i++) {
        const int64_t taken = i < higher ? height + 1 : height;
        const bool copies = block && i == 0 && tiles > 1;
        const bool fetches = block && i == tiles - 1 && tiles <= 2;
        NAME(product_choose)(taken, vectors)(
            sums + r * pitch, pitch, factors + r, factors_step, inputs, inputs_step, channels,
            is_first, copies ? &copying : fetches ? &fetching : NULL);
        if (copies) {
            inputs = (const char *)block;
            inputs_step = width;
        }
        r += taken;
    }
}
