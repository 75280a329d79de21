/* The register tile of the kernels that multiply matrices (small_input.h, columns.h), for one type
 * and instruction set.
 */

/* Rows of the highest tile: sums, inputs and a factor have registers, with three vectors. */
enum { NAME(product_rows) = VECTOR_REGISTERS == 32 ? 9 : 4 };

/* So many channels are many, where inputs are fetched. Measured. */
enum { NAME(product_many_channels) = 32 };

#include "runtime/product/tile_body.h"

typedef void NAME(product_function)(REAL *sums, int64_t pitch, const REAL *factors,
                                    int64_t factors_step, const char *inputs, int64_t inputs_step,
                                    int64_t channels, bool is_first,
                                    const NAME(product_beside) *beside);

#define PRODUCT_TILE(ROWS, VECTORS)                                                             \
    static void NAME(product_##ROWS##_##VECTORS)(                                               \
        REAL * sums, int64_t pitch, const REAL *factors, int64_t factors_step,                  \
        const char *inputs, int64_t inputs_step, int64_t channels, bool is_first,               \
        const NAME(product_beside) * beside) {                                                  \
        NAME(product_tile)(ROWS, VECTORS, sums, pitch, factors, 1, factors_step, inputs, \
                           inputs_step, channels, is_first, beside, NULL, NULL);                \
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

/* sums[row][lane] += factors[channel][row] * inputs[channel][lane], or = if it is the first sum,
 * for any number of rows and two or three vectors: tiles that are all about as high, the first ones
 * a row higher than the others where they cannot be equal.
 *
 * Inputs that come from memory are read once, if there is a block for them: the first tile copies
 * them there, so that their rows follow each other for the tiles below. Inputs of lanes to come are
 * fetched beside it. Where there are two tiles, that is left to the second, so that memory is at
 * work all the time. Of many channels, those of the next lanes are fetched, as more would drive
 * each other out of a cache before their turn, and else those of the lanes after them. */
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
        NAME(product_choose)(taken, vectors)(sums + r * pitch, pitch, factors + r, factors_step,
                                             inputs, inputs_step, channels, is_first,
                                             copies    ? &copying
                                             : fetches ? &fetching
                                                       : NULL);
        if (copies) {
            inputs = (const char *)block;
            inputs_step = width;
        }
        r += taken;
    }
}
