/* Tiles for rows of A whose elements lie next to each other, and how a block is cut into tiles. */

/* Rows of the highest tile: sums, inputs of three vectors and a factor have registers. */
enum { NAME(product_max_rows) = VECTOR_REGISTERS == 32 && (!IS_INTEGER || IS_PACKED) ? 9 : 4 };

typedef void NAME(product_function)(REAL *sums, int64_t pitch, const REAL *factors,
                                    int64_t factors_row, const char *inputs, int64_t inputs_step,
                                    int64_t depth, bool is_first,
                                    const NAME(product_beside) *beside,
                                    const NAME(product_last) *last, const REAL *bias);

#define PRODUCT_TILE(ROWS, VECTORS)                                                            \
    static void NAME(product_##ROWS##_##VECTORS)(                                              \
        REAL * sums, int64_t pitch, const REAL *factors, int64_t factors_row,                  \
        const char *inputs, int64_t inputs_step, int64_t depth, bool is_first,                 \
        const NAME(product_beside) * beside, const NAME(product_last) *last,                   \
        const REAL *bias) {                                                                    \
        NAME(product_tile)(ROWS, VECTORS, sums, pitch, factors, factors_row, 1, inputs,        \
                           inputs_step, depth, is_first, beside, last, bias);                  \
    }
#define PRODUCT_TILES(ROWS) PRODUCT_TILE(ROWS, 1) PRODUCT_TILE(ROWS, 2) PRODUCT_TILE(ROWS, 3)
PRODUCT_TILES(1)
PRODUCT_TILES(2)
PRODUCT_TILES(3)
PRODUCT_TILES(4)
#if VECTOR_REGISTERS == 32 && (!IS_INTEGER || IS_PACKED)
PRODUCT_TILES(5)
PRODUCT_TILES(6)
PRODUCT_TILES(7)
PRODUCT_TILES(8)
PRODUCT_TILES(9)
#endif
#undef PRODUCT_TILES
#undef PRODUCT_TILE

#if TERMS == 4
/* A tile of one row: four sums for each vector, which are added last, as the processor waits for
 * each sum otherwise. */
OPMILL_INLINE void NAME(product_line)(const int vectors, REAL *sums, const REAL *factors,
                                      const char *inputs, int64_t inputs_step, int64_t depth,
                                      bool is_first) {
    VECTOR acc[4][3];
    UNROLLED for (int u = 0; u < 4; u++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[u][v] = is_first || u > 0 ? OP(zero)() : OP(load)(sums + v * LANES);
        }
    }
    int64_t k = 0;
    for (; k + 4 <= depth; k += 4) {
        UNROLLED for (int u = 0; u < 4; u++) {
            const VECTOR factor = OP(repeat)(factors[k + u]);
            const char *const input = inputs + (k + u) * inputs_step;
            UNROLLED for (int v = 0; v < vectors; v++) {
                acc[u][v] =
                    OP(fma)(OP(load)(input + v * (int64_t)sizeof(VECTOR)), factor, acc[u][v]);
            }
        }
    }
    for (; k < depth; k++) {
        const VECTOR factor = OP(repeat)(factors[k]);
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[0][v] = OP(fma)(OP(load)(inputs + k * inputs_step + v * (int64_t)sizeof(VECTOR)),
                                factor, acc[0][v]);
        }
    }
    UNROLLED for (int v = 0; v < vectors; v++) {
        OP(store)(sums + v * LANES, acc[0][v] + acc[1][v] + (acc[2][v] + acc[3][v]));
    }
}
#endif

/* sums[row][lane] += factors[row][k] * inputs[k][lane], or = if it is the first sum, for any number
 * of rows and one to three vectors: tiles that are all about as high, the first ones a row higher
 * than the others where they cannot be equal. Where there is a block for the inputs, the first tile
 * copies them there, so that their rows follow each other for the tiles below. `last` may be
 * missing; `bias` has that of the first row and column. */
static void NAME(product_block)(REAL *sums, int64_t pitch, int64_t rows, int64_t vectors,
                                const REAL *factors, int64_t factors_row, const char *inputs,
                                int64_t inputs_step, int64_t depth, bool is_first, REAL *block,
                                const NAME(product_last) *last, const REAL *bias) {
#define PRODUCT_TRIPLE(ROWS) \
    {NAME(product_##ROWS##_1), NAME(product_##ROWS##_2), NAME(product_##ROWS##_3)}
    static NAME(product_function) *const TILES[][OPMILL_PRODUCT_VECTORS] = {
        PRODUCT_TRIPLE(1), PRODUCT_TRIPLE(2), PRODUCT_TRIPLE(3), PRODUCT_TRIPLE(4),
#if VECTOR_REGISTERS == 32 && (!IS_INTEGER || IS_PACKED)
        PRODUCT_TRIPLE(5), PRODUCT_TRIPLE(6), PRODUCT_TRIPLE(7), PRODUCT_TRIPLE(8),
        PRODUCT_TRIPLE(9),
#endif
    };
#undef PRODUCT_TRIPLE
#if TERMS == 4
    if (rows == 1) {
        if (vectors == 1) {
            NAME(product_line)(1, sums, factors, inputs, inputs_step, depth, is_first);
        } else if (vectors == 2) {
            NAME(product_line)(2, sums, factors, inputs, inputs_step, depth, is_first);
        } else {
            NAME(product_line)(3, sums, factors, inputs, inputs_step, depth, is_first);
        }
        return;
    }
#endif
    const int64_t width = vectors * (int64_t)sizeof(VECTOR);
    const int64_t tiles = (rows + NAME(product_max_rows) - 1) / NAME(product_max_rows);
    const int64_t height = rows / tiles;
    const int64_t higher = rows % tiles;
    const NAME(product_beside) copying = {block, inputs + width, inputs_step};
    int64_t r = 0;
    for (int64_t i = 0; i < tiles; i++) {
        const int64_t taken = i < higher ? height + 1 : height;
        const bool copies = block && i == 0 && tiles > 2;
        TILES[taken - 1][vectors - 1](sums + r * pitch, pitch, factors + r * factors_row,
                                      factors_row, inputs, inputs_step, depth, is_first,
                                      copies ? &copying : NULL, last,
                                      last ? bias + r * last->bias_row : NULL);
        if (copies) {
            inputs = (const char *)block;
            inputs_step = width;
        }
        r += taken;
    }
}
