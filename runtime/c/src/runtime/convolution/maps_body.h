/* Maps in the lanes: each weight is a vector of maps, each input element is repeated. */

/* Positions of the largest tile, with two vectors of maps, so that sums, weights and an input have
 * registers. */
enum {
    NAME(convolution_max_positions) = VECTOR_REGISTERS == 32 && (!IS_INTEGER || IS_PACKED) ? 14 : 6
};

/* sums[position][lane] += box[offset of the term][position] * weights[term][lane], or = if it is
 * the first sum, for `count` positions next to each other in each of `rows` rows, which are
 * constants. */
OPMILL_INLINE void NAME(convolution_tile)(const int rows, const int count, const int vectors,
                                          REAL *sums, int64_t sums_row, const REAL *box,
                                          int64_t box_row, const int64_t *offsets,
                                          const REAL *weights, int64_t terms, bool is_first) {
    VECTOR acc[14][OPMILL_CONVOLUTION_VECTORS];
    UNROLLED for (int p = 0; p < rows * count; p++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[p][v] = is_first ? OP(zero)()
                                 : OP(load)(sums + p / count * sums_row +
                                            (p % count * vectors + v) * LANES);
        }
    }
    for (int64_t k = 0; k < terms; k++) {
        const REAL *const at = box + offsets[k];
        VECTOR weight[OPMILL_CONVOLUTION_VECTORS];
        UNROLLED for (int v = 0; v < vectors; v++) {
            weight[v] = OP(load)(weights + v * LANES);
        }
        UNROLLED for (int p = 0; p < rows * count; p++) {
            const VECTOR input = OP(repeat)(at[p / count * box_row + p % count]);
            UNROLLED for (int v = 0; v < vectors; v++) {
                acc[p][v] = OP(fma)(weight[v], input, acc[p][v]);
            }
        }
        weights += vectors * LANES;
    }
    UNROLLED for (int p = 0; p < rows * count; p++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            OP(store)(sums + p / count * sums_row + (p % count * vectors + v) * LANES, acc[p][v]);
        }
    }
}

typedef void NAME(convolution_function)(REAL *sums, int64_t sums_row, const REAL *box,
                                        int64_t box_row, const int64_t *offsets,
                                        const REAL *weights, int64_t terms, bool is_first);

#define CONVOLUTION_TILE(ROWS, COUNT, VECTORS)                                                   \
    static void NAME(convolution_##ROWS##_##COUNT##_##VECTORS)(                                  \
        REAL * sums, int64_t sums_row, const REAL *box, int64_t box_row, const int64_t *offsets, \
        const REAL *weights, int64_t terms, bool is_first) {                                     \
        NAME(convolution_tile)(ROWS, COUNT, VECTORS, sums, sums_row, box, box_row, offsets,      \
                               weights, terms, is_first);                                        \
    }
#define CONVOLUTION_TILES(ROWS, COUNT) CONVOLUTION_TILE(ROWS, COUNT, 1) CONVOLUTION_TILE(ROWS, COUNT, 2)
#define CONVOLUTION_PAIR(ROWS, COUNT) \
    {NAME(convolution_##ROWS##_##COUNT##_1), NAME(convolution_##ROWS##_##COUNT##_2)}
CONVOLUTION_TILES(1, 1)
CONVOLUTION_TILES(1, 2)
CONVOLUTION_TILES(1, 3)
CONVOLUTION_TILES(1, 4)
CONVOLUTION_TILES(1, 5)
CONVOLUTION_TILES(1, 6)
CONVOLUTION_TILES(2, 1)
CONVOLUTION_TILES(2, 2)
CONVOLUTION_TILES(2, 3)
#if VECTOR_REGISTERS == 32 && (!IS_INTEGER || IS_PACKED)
CONVOLUTION_TILES(1, 7)
CONVOLUTION_TILES(1, 8)
CONVOLUTION_TILES(1, 9)
CONVOLUTION_TILES(1, 10)
CONVOLUTION_TILES(1, 11)
CONVOLUTION_TILES(1, 12)
CONVOLUTION_TILES(1, 13)
CONVOLUTION_TILES(1, 14)
CONVOLUTION_TILES(2, 4)
CONVOLUTION_TILES(2, 5)
CONVOLUTION_TILES(2, 6)
CONVOLUTION_TILES(2, 7)
#endif

static NAME(convolution_function) *NAME(convolution_choose)(int64_t rows, int64_t count,
                                                            int64_t vectors) {
    static NAME(convolution_function) *const ONE_ROW[][OPMILL_CONVOLUTION_VECTORS] = {
        CONVOLUTION_PAIR(1, 1),  CONVOLUTION_PAIR(1, 2),  CONVOLUTION_PAIR(1, 3),
        CONVOLUTION_PAIR(1, 4),  CONVOLUTION_PAIR(1, 5),  CONVOLUTION_PAIR(1, 6),
#if VECTOR_REGISTERS == 32 && (!IS_INTEGER || IS_PACKED)
        CONVOLUTION_PAIR(1, 7),  CONVOLUTION_PAIR(1, 8),  CONVOLUTION_PAIR(1, 9),
        CONVOLUTION_PAIR(1, 10), CONVOLUTION_PAIR(1, 11), CONVOLUTION_PAIR(1, 12),
        CONVOLUTION_PAIR(1, 13), CONVOLUTION_PAIR(1, 14),
#endif
    };
    static NAME(convolution_function) *const TWO_ROWS[][OPMILL_CONVOLUTION_VECTORS] = {
        CONVOLUTION_PAIR(2, 1), CONVOLUTION_PAIR(2, 2), CONVOLUTION_PAIR(2, 3),
#if VECTOR_REGISTERS == 32 && (!IS_INTEGER || IS_PACKED)
        CONVOLUTION_PAIR(2, 4), CONVOLUTION_PAIR(2, 5), CONVOLUTION_PAIR(2, 6),
        CONVOLUTION_PAIR(2, 7),
#endif
    };
    return (rows == 1 ? ONE_ROW : TWO_ROWS)[count - 1][vectors - 1];
}
#undef CONVOLUTION_TILE
#undef CONVOLUTION_TILES
#undef CONVOLUTION_PAIR

/* Weights [from, to) of each of some maps of a group, at most two vectors of them: [term][map], filled
 * up with 0. */
static void NAME(convolution_pack_block)(const opmill_convolution *convolution, int64_t group,
                                         int64_t map, int64_t maps, int64_t from, int64_t to,
                                         REAL *packed) {
#if IS_PACKED
    const int64_t taps = convolution->taps;
    NAME(convolution_packed_weights)(convolution, group * convolution->maps + map, maps,
                                   (maps + LANES - 1) / LANES * LANES, from / taps,
                                   (to - from) / taps, packed);
#else
    const int64_t bytes = opmill_type_bytes(convolution->w_type);
    const int64_t all = convolution->channels * convolution->taps;
    const int64_t wide = (maps + LANES - 1) / LANES * LANES;
    const char *const w =
        (const char *)convolution->w + ((group * convolution->maps + map) * all + from) * bytes;
    const int64_t terms = to - from;
    int64_t done = 0; /* maps */
    for (; bytes == (int64_t)sizeof(REAL) && done + LANES <= maps; done += LANES) {
        int64_t k = 0;
        for (; k + LANES <= terms; k += LANES) {
            NAME(product_transpose)(packed + k * wide + done, wide, w + (done * all + k) * bytes,
                                    all * bytes);
        }
        for (; k < terms; k++) {
            NAME(product_widen)(packed + k * wide + done, w + (done * all + k) * bytes, all * bytes,
                                LANES, convolution->w_type);
        }
    }
    for (int64_t m = done; m < wide; m++) {
        if (m >= maps) {
            for (int64_t k = 0; k < terms; k++) {
                packed[k * wide + m] = 0;
            }
            continue;
        }
        for (int64_t k = 0; k < terms; k++) {
            packed[k * wide + m] =
                NAME(product_element)(w + (m * all + k) * bytes, convolution->w_type);
        }
    }
#endif
}

/* All weights of a block of maps: the terms of one vector or two, in order. */
static void NAME(convolution_pack)(const opmill_convolution_layout *layout, int64_t group,
                                   int64_t map, char *packed) {
    const opmill_convolution *const convolution = layout->convolution;
    const int64_t wide = OPMILL_CONVOLUTION_VECTORS * LANES;
    const int64_t all_maps = (convolution->maps + LANES - 1) / LANES * LANES;
    const int64_t terms = layout->all_channels * convolution->taps;
    const int64_t left = convolution->maps - map;
    NAME(convolution_pack_block)(convolution, group, map, left < wide ? left : wide, 0, terms,
                                 (REAL *)(void *)packed + (group * all_maps + map) * terms);
}

/* A block of weights: those of some terms of some maps, from `map` of all groups on. */
typedef struct NAME(convolution_block) {
    int64_t map, maps, from, to;
    const REAL *packed; /* its weights, or NULL where they are packed later */
} NAME(convolution_block);

/* Fetches a part of a block that is packed or read soon. */
static void NAME(convolution_fetch)(const opmill_convolution *convolution,
                                    const NAME(convolution_block) *block, int64_t part,
                                    int64_t parts) {
    enum { LINE = 64 };
    if (block->packed != NULL) {
        const int64_t vectors = (block->maps + LANES - 1) / LANES;
        const int64_t bytes =
            (block->to - block->from) * vectors * LANES * (int64_t)sizeof(REAL);
        const char *const packed = (const char *)block->packed;
        for (int64_t at = part * bytes / parts / LINE * LINE; at < (part + 1) * bytes / parts;
             at += LINE) {
            OPMILL_PREFETCH(packed + at);
        }
        return;
    }
    const int64_t term = TERMS * opmill_type_bytes(convolution->w_type);
    const int64_t all =
        convolution->channels * convolution->taps * opmill_type_bytes(convolution->w_type);
    const char *const w = (const char *)convolution->w + block->map * all + block->from * term;
    for (int64_t m = part * block->maps / parts; m < (part + 1) * block->maps / parts; m++) {
        for (int64_t at = 0; at < (block->to - block->from) * term; at += LINE) {
            OPMILL_PREFETCH(w + m * all + at);
        }
    }
}

/* The sums of a block of maps over a block of weights, tile by tile: in rows that are shorter than
 * half a tile, two at a time. The tiles share the fetching of the next block. */
static void NAME(convolution_tiles)(const opmill_convolution_layout *layout,
                                    const opmill_convolution_task *task, const REAL *box,
                                    REAL *sums, const REAL *weights, int64_t vectors, int64_t terms,
                                    bool is_first, const NAME(convolution_block) *next) {
    const int64_t box_row =
        (layout->rows_by_tap ? 1 : layout->rows_axis.stride) * layout->row_pitch;
    const int64_t max_count = NAME(convolution_max_positions);
    const int64_t tiles = (task->columns + max_count - 1) / max_count;
    const bool is_short = task->columns * 2 <= max_count;
    const int64_t steps = tiles * (is_short ? (task->rows + 1) / 2 : task->rows);
    const int64_t sums_row = task->columns * vectors * LANES;
    for (int64_t r = 0, step = 0; r < task->rows;) {
        const int64_t rows = is_short && r + 2 <= task->rows ? 2 : 1;
        for (int64_t tile = 0; tile < tiles; tile++, step++) {
            const int64_t column = tile * task->columns / tiles;
            const int64_t count = (tile + 1) * task->columns / tiles - column;
            NAME(convolution_fetch)(layout->convolution, next, step, steps);
            NAME(convolution_choose)(rows, count, vectors)(
                sums + r * sums_row + column * vectors * LANES, sums_row,
                box + r * box_row + column, box_row, task->offsets, weights, terms, is_first);
        }
        r += rows;
    }
}

/* The packed weights of a block of maps of a task, from a term on; `map` is the first one's index in
 * the task. */
static const REAL *NAME(convolution_packed)(const opmill_convolution_layout *layout,
                                            const opmill_convolution_task *task, int64_t map,
                                            int64_t maps, int64_t term) {
    const opmill_convolution *const convolution = layout->convolution;
    const int64_t all_maps = (convolution->maps + LANES - 1) / LANES * LANES;
    const int64_t vectors = (maps + LANES - 1) / LANES;
    return (const REAL *)(const void *)task->weights +
           (task->group * all_maps + task->map + map) * layout->all_channels * convolution->taps +
           term * vectors * LANES;
}

/* All maps of a task over the channels of a box, from `channel` on: block by block, so that the
 * sums of a block of maps stay in a near cache, and are stored when they are whole. */
static void NAME(convolution_maps)(const opmill_convolution_layout *layout,
                                   const opmill_convolution_task *task, int64_t channel,
                                   int64_t channels, const REAL *box, REAL *sums, REAL *block) {
    const opmill_convolution *const convolution = layout->convolution;
    const int64_t taps = convolution->taps, end = channel + channels;
    const int64_t wide = OPMILL_CONVOLUTION_VECTORS * LANES;
    const bool is_all = channels == layout->all_channels;
    const int64_t first_map = task->group * convolution->maps + task->map;
    for (int64_t m = 0; m < task->maps; m += wide) {
        const int64_t maps = task->maps - m < wide ? task->maps - m : wide;
        const int64_t vectors = (maps + LANES - 1) / LANES;
        const REAL *const packed = NAME(convolution_packed)(layout, task, m, maps, 0);
        REAL *const to = is_all ? sums : sums + m * task->rows * task->columns;
        int64_t from = channel;
        do { /* once where there is no channel */
            const int64_t until = from + layout->channels < end ? from + layout->channels : end;
            const REAL *weights = packed + from * vectors * LANES * taps;
            const REAL *const at =
                box + (from - channel) * layout->outer_taps * layout->plane_size;
            NAME(convolution_block) next = {first_map + m, maps, until * taps, end * taps, NULL};
            if (until == end) { /* of the next maps */
                const int64_t left = task->maps - m - maps;
                next.map += maps;
                next.maps = left < wide ? left : wide;
                next.from = channel * taps;
            }
            if (next.to - next.from > layout->channels * taps) {
                next.to = next.from + layout->channels * taps;
            }
            if (layout->packs_weights) {
                next.packed = NAME(convolution_packed)(layout, task, next.map - first_map,
                                                       next.maps, next.from);
            } else {
                NAME(convolution_pack_block)(convolution, task->group, task->map + m, maps,
                                             from * taps, until * taps, block);
                weights = block;
            }
            NAME(convolution_tiles)(layout, task, at, to, weights, vectors, (until - from) * taps,
                                    from == 0, &next);
            from = until;
        } while (from < end);
        if (end == layout->all_channels) {
            NAME(convolution_store_maps)(layout, task, m, maps, to);
        }
    }
}
