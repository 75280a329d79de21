/* Transposing tiles in registers, compiled once for each instruction set. The file that includes
 * this one defines, inside OPMILL_TARGET_BEGIN:
 *
 *     TILE_LANES                lanes of 16 bytes in a vector
 *     tile_vector, tile_store
 *     tile_store_around         stores a vector that is a line around the caches; others tile_store
 *     tile_load(in, step)       16 bytes for each lane, `step` bytes apart
 *     tile_low_8, tile_high_8   interleave the lower, the upper halves of each lane, by elements of
 *                               8 bits; _16, _32 and _64 likewise
 *     TILE_NARROWER             the transposer of matrices that are smaller than a tile
 *
 * and includes transposer_narrow.h.
 *
 * A lane holds N elements. N vectors hold N columns of N rows in each lane; after log2(N) rounds of
 * interleaving vector i with vector i + N/2, vector i holds column i of all rows. */

/* Where every access brings a check along, unrolled loops take minutes to compile. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TILE_UNROLLED
#elif defined(__clang__)
#define TILE_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define TILE_UNROLLED _Pragma("GCC unroll 16")
#endif

enum { TILE_LINE_BYTES = 64 };

#define DEFINE_TRANSPOSE(BITS, BYTES, N, SLOT)                                                     \
    OPMILL_INLINE void interleave_##BITS(tile_vector *to, const tile_vector *from) {               \
        TILE_UNROLLED                                                                              \
        for (int i = 0; i < N / 2; i++) {                                                          \
            to[2 * i] = tile_low_##BITS(from[i], from[i + N / 2]);                                 \
            to[2 * i + 1] = tile_high_##BITS(from[i], from[i + N / 2]);                            \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    OPMILL_INLINE void tile_##BITS(uint8_t *out, int64_t out_step, const uint8_t *in,              \
                                   int64_t in_step, const bool around) {                           \
        tile_vector a[N], b[N];                                                                    \
        TILE_UNROLLED                                                                              \
        for (int i = 0; i < N; i++) {                                                              \
            a[i] = tile_load(in + i * in_step, N * in_step);                                       \
        }                                                                                          \
        interleave_##BITS(b, a);                                                                   \
        if (N >= 4) {                                                                              \
            interleave_##BITS(a, b);                                                               \
        }                                                                                          \
        if (N >= 8) {                                                                              \
            interleave_##BITS(b, a);                                                               \
        }                                                                                          \
        if (N >= 16) {                                                                             \
            interleave_##BITS(a, b);                                                               \
        }                                                                                          \
        const tile_vector *const last = N == 2 || N == 8 ? b : a;                                  \
        TILE_UNROLLED                                                                              \
        for (int i = 0; i < N; i++) {                                                              \
            if (around) {                                                                          \
                tile_store_around(out + i * out_step, last[i]);                                    \
            } else {                                                                               \
                tile_store(out + i * out_step, last[i]);                                           \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Prefetches what is loaded two lines of columns further on: processors do not predict it. */ \
    OPMILL_INLINE void prefetch_##BITS(const opmill_matrices *m, int64_t row, int64_t column) {    \
        const int64_t height = TILE_LANES * N, ahead = column + 2 * TILE_LINE_BYTES / BYTES;       \
        if (ahead < m->columns) {                                                                  \
            const uint8_t *const in = m->in + row * m->in_step + ahead * BYTES;                    \
            for (int64_t i = 0; i < height; i++) {                                                 \
                OPMILL_PREFETCH(in + i * m->in_step);                                              \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    OPMILL_INLINE void near_##BITS(const opmill_matrices *m, const bool prefetches) {              \
        const int64_t height = TILE_LANES * N, line = TILE_LINE_BYTES / BYTES;                     \
        for (int64_t first = 0; first < m->columns; first += line) {                               \
            const int64_t end = first + line < m->columns ? first + line : m->columns;             \
            for (int64_t i = 0; i < m->rows; i += height) {                                        \
                const int64_t row = i < m->rows - height ? i : m->rows - height;                   \
                if (prefetches) {                                                                  \
                    prefetch_##BITS(m, row, first);                                                \
                }                                                                                  \
                for (int64_t j = first; j < end; j += N) {                                         \
                    const int64_t column = j < m->columns - N ? j : m->columns - N;                \
                    tile_##BITS(m->out + column * m->out_step + row * BYTES, m->out_step,          \
                                m->in + row * m->in_step + column * BYTES, m->in_step, false);     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* By bands of whole lines, which are loaded once, whatever set of a cache they compete for. */ \
    OPMILL_INLINE void bands_##BITS(const opmill_matrices *m, const bool around) {                 \
        const int64_t height = TILE_LANES * N, line = TILE_LINE_BYTES / BYTES;                     \
        _Alignas(TILE_LINE_BYTES) uint8_t band[TILE_LANES * N * TILE_LINE_BYTES];                  \
        for (int64_t j = 0; j < m->columns; j += line) {                                           \
            const int64_t column = j < m->columns - line ? j : m->columns - line;                  \
            for (int64_t i = 0; i < m->rows; i += height) {                                        \
                const int64_t row = i < m->rows - height ? i : m->rows - height;                   \
                const uint8_t *const in = m->in + row * m->in_step + column * BYTES;               \
                uint8_t *const out = m->out + column * m->out_step + row * BYTES;                  \
                prefetch_##BITS(m, row, j);                                                        \
                for (int64_t k = 0; k < height; k++) {                                             \
                    memcpy(band + k * TILE_LINE_BYTES, in + k * m->in_step, TILE_LINE_BYTES);      \
                }                                                                                  \
                for (int64_t k = 0; k < line; k += N) {                                            \
                    tile_##BITS(out + k * m->out_step, m->out_step, band + k * BYTES,              \
                                TILE_LINE_BYTES, around);                                          \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void transpose_##BITS(const opmill_matrices *m) {                                       \
        if (m->rows < TILE_LANES * N || m->columns < N) {                                          \
            if (!transpose_narrow_##BITS(m)) {                                                     \
                TILE_NARROWER.run[SLOT](m);                                                        \
            }                                                                                      \
        } else if (m->mode == OPMILL_TILES_NEAR) {                                                 \
            near_##BITS(m, false);                                                                 \
        } else if (m->mode == OPMILL_TILES_FAR || m->columns < TILE_LINE_BYTES / BYTES) {          \
            near_##BITS(m, true);                                                                  \
        } else if (m->mode == OPMILL_TILES_AROUND) {                                               \
            bands_##BITS(m, true);                                                                 \
        } else {                                                                                   \
            bands_##BITS(m, false);                                                                \
        }                                                                                          \
    }

DEFINE_TRANSPOSE(8, 1, 16, 0)
DEFINE_TRANSPOSE(16, 2, 8, 1)
DEFINE_TRANSPOSE(32, 4, 4, 2)
DEFINE_TRANSPOSE(64, 8, 2, 3)

/* An element of 16 bytes is a lane: there is nothing to interleave. */
static void transpose_128(const opmill_matrices *m) { opmill_transposer_plain.run[4](m); }

#define TILE_RUN {transpose_8, transpose_16, transpose_32, transpose_64, transpose_128}
