/* Tiles of some maps and up to four vectors of positions: their sums, and what becomes of them. */

/* Where the sums of some maps go, `pitch` bytes apart: as they are or, with a requantizer, as
 * numbers of 8 bits. */
typedef struct NAME(quads_end) {
    const opmill_requantizer *requantizer; /* or NULL */
    char *to;
    int64_t pitch;
    REAL starts[OPMILL_QUADS_MAPS]; /* what each sum begins with */
    float factors[OPMILL_QUADS_MAPS];
} NAME(quads_end);

/* Stores the last vector of a tile, of which `count` lanes are used. */
OPMILL_INLINE void NAME(quads_store)(const NAME(quads_end) *end, int map, int64_t at, VECTOR sums,
                                     int64_t count) {
    char *const to = end->to + map * end->pitch;
    if (end->requantizer != NULL) {
        OP(store_rescaled)(to + at, sums, end->factors[map], end->requantizer->zero,
                           end->requantizer->low, end->requantizer->high, count);
    } else if (count == LANES) {
        OP(store)(to + at * (int64_t)sizeof(REAL), sums);
    } else {
        OP(store_part)(to + at * (int64_t)sizeof(REAL), sums, count);
    }
}

/* y[map][at + lane] = start + the sum over k of box[offsets[k]][lane] * weights[k][map], for
 * `count` positions; `maps` and `vectors` are constants. */
OPMILL_INLINE void NAME(quads_tile)(const int maps, const int vectors, const REAL *box,
                                    const int64_t *offsets, const REAL *weights, int64_t terms,
                                    const NAME(quads_end) *end, int64_t at, int64_t count) {
    VECTOR acc[OPMILL_QUADS_MAPS][OPMILL_QUADS_VECTORS];
    UNROLLED for (int m = 0; m < maps; m++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[m][v] = OP(repeat)(end->starts[m]);
        }
    }
    for (int64_t k = 0; k < terms; k++) {
        const REAL *const from = box + offsets[k];
        VECTOR input[OPMILL_QUADS_VECTORS];
        UNROLLED for (int v = 0; v < vectors; v++) {
            input[v] = OP(load)(from + v * LANES);
        }
        UNROLLED for (int m = 0; m < maps; m++) {
            const VECTOR weight = OP(repeat)(weights[m]);
            UNROLLED for (int v = 0; v < vectors; v++) {
                acc[m][v] = OP(fma)(weight, input[v], acc[m][v]);
            }
        }
        weights += maps;
    }
    UNROLLED for (int m = 0; m < maps; m++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            NAME(quads_store)(end, m, at + v * LANES, acc[m][v],
                              v + 1 < vectors ? LANES : count - v * LANES);
        }
    }
}

typedef void NAME(quads_function)(const REAL *box, const int64_t *offsets, const REAL *weights,
                                  int64_t terms, const NAME(quads_end) *end, int64_t at,
                                  int64_t count);

#define QUADS_TILE(MAPS, VECTORS)                                                              \
    static void NAME(quads_##MAPS##_##VECTORS)(                                                \
        const REAL *box, const int64_t *offsets, const REAL *weights, int64_t terms,           \
        const NAME(quads_end) * end, int64_t at, int64_t count) {                              \
        NAME(quads_tile)(MAPS, VECTORS, box, offsets, weights, terms, end, at, count);         \
    }
#define QUADS_TILES(MAPS) \
    QUADS_TILE(MAPS, 1) QUADS_TILE(MAPS, 2) QUADS_TILE(MAPS, 3) QUADS_TILE(MAPS, 4)
QUADS_TILES(1)
QUADS_TILES(2)
QUADS_TILES(3)
QUADS_TILES(4)
QUADS_TILES(5)
QUADS_TILES(6)
#undef QUADS_TILES
#undef QUADS_TILE

/* All positions of a task, for some maps. */
static void NAME(quads_tiles)(const REAL *box, const int64_t *offsets, const REAL *weights,
                              int64_t terms, int64_t maps, int64_t count,
                              const NAME(quads_end) *end) {
#define QUADS_TILES(MAPS) \
    {NAME(quads_##MAPS##_1), NAME(quads_##MAPS##_2), NAME(quads_##MAPS##_3), NAME(quads_##MAPS##_4)}
    static NAME(quads_function) *const TILES[][OPMILL_QUADS_VECTORS] = {
        QUADS_TILES(1), QUADS_TILES(2), QUADS_TILES(3),
        QUADS_TILES(4), QUADS_TILES(5), QUADS_TILES(6),
    };
#undef QUADS_TILES
    enum { WIDTH = OPMILL_QUADS_VECTORS * LANES };
    for (int64_t at = 0; at < count; at += WIDTH) {
        const int64_t used = count - at < WIDTH ? count - at : WIDTH;
        TILES[maps - 1][(used - 1) / LANES](box + at, offsets, weights, terms, end, at, used);
    }
}
