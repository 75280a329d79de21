/* The innermost part of the phases kernel: a tile of maps by vectors, in registers.
 *
 * phases_body.h includes this, once for each type that it is built for.
 */

typedef bool NAME(tile_function)(REAL *sums, const REAL *x, int64_t x_step, const REAL *w,
                                 int64_t channels, const int64_t *taps, int64_t tap_count,
                                 const REAL *bias, bool resume);

/* Lanes from one map of a tile to the next. */
static inline int64_t NAME(pitch)(int64_t maps) {
    return (maps > 3 ? PHASES_MAX_TILE / maps : 8) * LANES;
}

/* Returns whether there is a NaN among the sums. */
OPMILL_INLINE bool NAME(tile)(const int maps, const int vectors, REAL *sums, const REAL *x,
                              int64_t x_step, const REAL *w, int64_t channels, const int64_t *taps,
                              int64_t tap_count, const REAL *bias, bool resume) {
    const int64_t pitch = NAME(pitch)(maps);
    VECTOR acc[8][8];
    UNROLLED for (int m = 0; m < maps; m++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[m][v] = resume ? OP(load)(sums + m * pitch + v * LANES) : OP(zero)();
        }
    }
    for (int64_t c = 0; c < channels; c++, x += x_step) {
        for (int64_t t = 0; t < tap_count; t++, w += maps) {
            const REAL *const at = x + taps[t];
            VECTOR in[8];
            UNROLLED for (int v = 0; v < vectors; v++) {
                in[v] = OP(load)(at + v * LANES);
            }
            UNROLLED for (int m = 0; m < maps; m++) {
                const VECTOR weight = OP(repeat)(w[m]);
                UNROLLED for (int v = 0; v < vectors; v++) {
                    acc[m][v] = OP(fma)(in[v], weight, acc[m][v]);
                }
            }
        }
    }
    MASK nan = OP(nan)(OP(zero)());
    UNROLLED for (int m = 0; m < maps; m++) {
        const VECTOR start = OP(repeat)(bias[m]);
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[m][v] = OP(add)(acc[m][v], start);
            nan = OP(either)(nan, OP(nan)(acc[m][v]));
            OP(store)(sums + m * pitch + v * LANES, acc[m][v]);
        }
    }
    return OP(any)(nan);
}

/* sums[map][lane] of MAPS maps and VECTORS vectors: over all taps of these channels, plus the bias,
 * and if resumed, plus what is there. */
#define PHASES_TILE(MAPS, VECTORS)                                                              \
    static bool NAME(tile_##MAPS##_##VECTORS)(REAL * sums, const REAL *x, int64_t x_step,       \
                                              const REAL *w, int64_t channels,                  \
                                              const int64_t *taps, int64_t tap_count,           \
                                              const REAL *bias, bool resume) {                  \
        return NAME(tile)(MAPS, VECTORS, sums, x, x_step, w, channels, taps, tap_count, bias,   \
                          resume);                                                              \
    }

#if VECTOR_REGISTERS == 32
PHASES_TILE(8, 3)
PHASES_TILE(8, 2)
PHASES_TILE(8, 1)
PHASES_TILE(4, 6)
PHASES_TILE(3, 8)
#else
PHASES_TILE(4, 3)
#endif
PHASES_TILE(4, 2)
PHASES_TILE(4, 1)
PHASES_TILE(3, 4)
PHASES_TILE(3, 2)
PHASES_TILE(3, 1)
PHASES_TILE(2, 4)
PHASES_TILE(2, 2)
PHASES_TILE(2, 1)
PHASES_TILE(1, 8)
PHASES_TILE(1, 4)
PHASES_TILE(1, 2)
PHASES_TILE(1, 1)
#if VECTOR_REGISTERS == 32
PHASES_TILE(4, 4)
PHASES_TILE(2, 8)
#endif
#undef PHASES_TILE

/* The tile for `maps` that takes most of `left` vectors, and how many it takes. */
static NAME(tile_function) *NAME(choose)(int64_t maps, int64_t left, int64_t *vectors) {
#define PHASES_TAKE(MAPS, VECTORS)                                                              \
    if (maps == MAPS && left >= VECTORS) {                                                      \
        *vectors = VECTORS;                                                                     \
        return NAME(tile_##MAPS##_##VECTORS);                                                   \
    }
#if VECTOR_REGISTERS == 32
    PHASES_TAKE(8, 3)
    PHASES_TAKE(8, 2)
    PHASES_TAKE(8, 1)
    PHASES_TAKE(4, 6)
    PHASES_TAKE(4, 4)
    PHASES_TAKE(3, 8)
    PHASES_TAKE(2, 8)
#else
    PHASES_TAKE(4, 3)
#endif
    PHASES_TAKE(4, 2)
    PHASES_TAKE(4, 1)
    PHASES_TAKE(3, 4)
    PHASES_TAKE(3, 2)
    PHASES_TAKE(3, 1)
    PHASES_TAKE(2, 4)
    PHASES_TAKE(2, 2)
    PHASES_TAKE(2, 1)
    PHASES_TAKE(1, 8)
    PHASES_TAKE(1, 4)
    PHASES_TAKE(1, 2)
#undef PHASES_TAKE
    *vectors = 1;
    return NAME(tile_1_1);
}
