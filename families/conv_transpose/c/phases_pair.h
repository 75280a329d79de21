/* A tile of the phases kernel for few maps and a stride of two; part of phases_body.h.
 *
 * With fewer than four maps, a tile loads inputs faster than it can use them up. Both phases of the
 * last axis have many offsets in common, so here they are summed up together: an input that both
 * use is loaded once.
 */

enum { NAME(pair_taps) = 64 };

/* The taps of two phases: first those at offsets that both have, then each one's own. */
typedef struct NAME(pair) {
    int64_t count[3]; /* both, first, second */
    int64_t x[3][NAME(pair_taps)];
    /* Where a channel's weights are: of both, in the first and the second; each one's own. */
    int64_t w[4][NAME(pair_taps)];
    const REAL *weights[2];
    int64_t taps[2];
} NAME(pair);

/* False if there are more taps than there is room for. */
static bool NAME(pair_taps_of)(NAME(pair) *pair, const int64_t *x, const int64_t *first,
                               const REAL *packed, int64_t channels, int64_t maps) {
    const int64_t *const second_x = x + first[1];
    const int64_t *const first_x = x + first[0];
    for (int p = 0; p < 2; p++) {
        pair->taps[p] = first[p + 1] - first[p];
        pair->weights[p] = packed + first[p] * channels * maps;
        if (pair->taps[p] > NAME(pair_taps)) {
            return false;
        }
    }
    pair->count[0] = pair->count[1] = pair->count[2] = 0;
    for (int64_t i = 0; i < pair->taps[0]; i++) {
        int64_t j = 0;
        while (j < pair->taps[1] && second_x[j] != first_x[i]) {
            j++;
        }
        const int kind = j < pair->taps[1] ? 0 : 1;
        const int64_t to = pair->count[kind]++;
        pair->x[kind][to] = first_x[i];
        pair->w[kind == 0 ? 0 : 2][to] = i * maps;
        if (kind == 0) {
            pair->w[1][to] = j * maps;
        }
    }
    for (int64_t j = 0; j < pair->taps[1]; j++) {
        int64_t i = 0;
        while (i < pair->taps[0] && first_x[i] != second_x[j]) {
            i++;
        }
        if (i == pair->taps[0]) {
            const int64_t to = pair->count[2]++;
            pair->x[2][to] = second_x[j];
            pair->w[3][to] = j * maps;
        }
    }
    return true;
}

/* acc[map][vector] += inputs * weights. */
OPMILL_INLINE void NAME(pair_add)(const int maps, const int vectors, VECTOR acc[3][8],
                                  const VECTOR *in, const REAL *w) {
    UNROLLED for (int m = 0; m < maps; m++) {
        const VECTOR weight = OP(repeat)(w[m]);
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[m][v] = OP(fma)(in[v], weight, acc[m][v]);
        }
    }
}

OPMILL_INLINE bool
NAME(pair_tile)(const int maps, const int vectors, const NAME(pair) *pair, REAL *sums,
                const REAL *x, int64_t x_step, int64_t channels, const REAL *bias) {
    const REAL *w0 = pair->weights[0];
    const REAL *w1 = pair->weights[1];
    VECTOR first[3][8];
    VECTOR second[3][8];
    UNROLLED for (int m = 0; m < maps; m++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            first[m][v] = second[m][v] = OP(zero)();
        }
    }
    for (int64_t c = 0; c < channels; c++, x += x_step) {
        VECTOR in[8];
        for (int64_t t = 0; t < pair->count[0]; t++) {
            UNROLLED for (int v = 0; v < vectors; v++) {
                in[v] = OP(load)(x + pair->x[0][t] + v * LANES);
            }
            NAME(pair_add)(maps, vectors, first, in, w0 + pair->w[0][t]);
            NAME(pair_add)(maps, vectors, second, in, w1 + pair->w[1][t]);
        }
        for (int64_t t = 0; t < pair->count[1]; t++) {
            UNROLLED for (int v = 0; v < vectors; v++) {
                in[v] = OP(load)(x + pair->x[1][t] + v * LANES);
            }
            NAME(pair_add)(maps, vectors, first, in, w0 + pair->w[2][t]);
        }
        for (int64_t t = 0; t < pair->count[2]; t++) {
            UNROLLED for (int v = 0; v < vectors; v++) {
                in[v] = OP(load)(x + pair->x[2][t] + v * LANES);
            }
            NAME(pair_add)(maps, vectors, second, in, w1 + pair->w[3][t]);
        }
        w0 += pair->taps[0] * maps;
        w1 += pair->taps[1] * maps;
    }
    const int64_t pitch = NAME(pitch)(maps);
    MASK nan = OP(nan)(OP(zero)());
    UNROLLED for (int m = 0; m < maps; m++) {
        const VECTOR start = OP(repeat)(bias[m]);
        UNROLLED for (int v = 0; v < vectors; v++) {
            REAL *const to = sums + m * pitch + v * LANES;
            const VECTOR a = OP(add)(first[m][v], start);
            const VECTOR b = OP(add)(second[m][v], start);
            nan = OP(either)(nan, OP(either)(OP(nan)(a), OP(nan)(b)));
            OP(store)(to, a);
            OP(store)(to + PHASES_MAX_TILE * LANES, b);
        }
    }
    return OP(any)(nan);
}

typedef bool NAME(pair_function)(const NAME(pair) *pair, REAL *sums, const REAL *x, int64_t x_step,
                                 int64_t channels, const REAL *bias);

#define PHASES_PAIR(MAPS, VECTORS)                                                              \
    static bool NAME(pair_tile_##MAPS##_##VECTORS)(const NAME(pair) *pair, REAL *sums,          \
                                                   const REAL *x, int64_t x_step,               \
                                                   int64_t channels, const REAL *bias) {        \
        return NAME(pair_tile)(MAPS, VECTORS, pair, sums, x, x_step, channels, bias);           \
    }
#if VECTOR_REGISTERS == 32
PHASES_PAIR(3, 4)
PHASES_PAIR(2, 4)
PHASES_PAIR(1, 8)
#endif
PHASES_PAIR(3, 2)
PHASES_PAIR(3, 1)
PHASES_PAIR(2, 2)
PHASES_PAIR(2, 1)
PHASES_PAIR(1, 4)
PHASES_PAIR(1, 2)
PHASES_PAIR(1, 1)
#undef PHASES_PAIR

/* The tile for `maps` that takes most of `left` vectors, and how many it takes. */
static NAME(pair_function) *NAME(choose_pair)(int64_t maps, int64_t left, int64_t *vectors) {
#define PHASES_TAKE(MAPS, VECTORS)                                                              \
    if (maps == MAPS && left >= VECTORS) {                                                      \
        *vectors = VECTORS;                                                                     \
        return NAME(pair_tile_##MAPS##_##VECTORS);                                              \
    }
#if VECTOR_REGISTERS == 32
    PHASES_TAKE(3, 4)
    PHASES_TAKE(2, 4)
    PHASES_TAKE(1, 8)
#endif
    PHASES_TAKE(3, 2)
    PHASES_TAKE(3, 1)
    PHASES_TAKE(2, 2)
    PHASES_TAKE(2, 1)
    PHASES_TAKE(1, 4)
    PHASES_TAKE(1, 2)
#undef PHASES_TAKE
    *vectors = 1;
    return NAME(pair_tile_1_1);
}
