/* The phases kernel for one type and instruction set: what phases_functions lists.
 *
 * A file that includes this has included a vector header and defines REAL (what is computed with),
 * VECTOR, MASK, LANES, OP(operation) and NAME(function). Half types are widened when the box is
 * filled and the weights are packed, and rounded once, when a finished run is stored.
 */
#include "phases_tile.h"

#include "phases_pair.h"

/* Elements of W that are turned at once, and how many channels ahead W is asked for. */
enum { NAME(line) = 4096, NAME(ahead) = 6 };

/* [map][tap] to [tap][map]; maps is a constant, and both ends may be passed by one vector. */
static inline __attribute__((always_inline)) void
NAME(transpose)(const int maps, REAL *to, const REAL *from, int64_t taps) {
    for (int64_t t = 0; t < taps; t += LANES, to += maps * LANES) {
        VECTOR parts[8];
        UNROLLED for (int m = 0; m < maps; m++) {
            parts[m] = OP(load)(from + m * taps + t);
        }
        /* Each round joins map m and the map half the maps away, element by element. */
        UNROLLED for (int length = 1; length < maps; length *= 2) {
            VECTOR joined[8];
            const int half = maps / 2;
            UNROLLED for (int i = 0; i < half; i++) {
                joined[2 * i] = OP(zip_low)(parts[i], parts[i + half]);
                joined[2 * i + 1] = OP(zip_high)(parts[i], parts[i + half]);
            }
            UNROLLED for (int i = 0; i < maps; i++) {
                parts[i] = joined[i];
            }
        }
        UNROLLED for (int m = 0; m < maps; m++) {
            OP(store)(to + m * LANES, parts[m]);
        }
    }
}

static void NAME(phases_pack)(const phases_layout *layout, int64_t group, int64_t map,
                              int64_t count, void *packed) {
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t channels = problem->channels;
    const int64_t taps = problem->kernel_size;
    const int64_t together = count * taps <= NAME(line) ? count : 1; /* maps, taken in one read */
    const int64_t type_bytes = opmill_type_bytes(problem->type);
    REAL line[NAME(line) * 2 + LANES];
    REAL columns[NAME(line) * 2 + 8 * LANES];
    if (together == 2 || together == 3) {
        NAME(clear)(line, 4 * taps + LANES); /* four are turned */
    }
    for (int64_t c = 0; c < channels; c++) {
        for (int64_t m = 0; m < count; m += together) {
            const int64_t from = ((group * channels + c) * problem->maps + map + m) * taps;
            /* Rows of W are far apart: ask for one that is needed soon. */
            const int64_t ahead = from + NAME(ahead) * problem->maps * taps;
            for (int64_t i = 0; i < together * taps; i += 64 / (int64_t)sizeof(REAL)) {
                __builtin_prefetch((const char *)problem->w + (ahead + i) * type_bytes);
            }
            NAME(widen)(line, problem->w, from, together * taps, problem->type);
            if (together == 8) {
                NAME(transpose)(8, columns, line, taps);
            } else if (together > 1) {
                NAME(transpose)(4, columns, line, taps);
            }
            for (int64_t p = 0; p < layout->taps.phases; p++) {
                const int64_t first = layout->taps.first[p];
                const int64_t end = layout->taps.first[p + 1];
                REAL *to = (REAL *)packed + (first * channels + c * (end - first)) * count + m;
                for (int64_t t = first; t < end; t++, to += count) {
                    const int64_t tap = layout->taps.w[t];
                    if (together == 8) {
                        memcpy(to, columns + tap * 8, 8 * sizeof(REAL));
                    } else if (together == 4) {
                        memcpy(to, columns + tap * 4, 4 * sizeof(REAL));
                    } else if (together > 1) {
                        for (int64_t i = 0; i < together; i++) {
                            to[i] = columns[tap * 4 + i];
                        }
                    } else {
                        to[0] = line[tap];
                    }
                }
            }
        }
    }
}

/* The sums of all phases of the last axis, in the order of Y. */
static void NAME(interleave)(void *to, const REAL *sums, int64_t stride, int64_t count) {
    const int64_t next = PHASES_MAX_TILE * LANES; /* from one phase to the next */
    const int64_t whole = count / stride;
    char *const out = to;
    int64_t i = 0;
    if (stride == 1) {
        for (; i + LANES <= whole; i += LANES) {
            OP(store)(out + i * (int64_t)sizeof(REAL), OP(load)(sums + i));
        }
    } else if (stride == 2) {
        for (; i + LANES <= whole; i += LANES) {
            const VECTOR even = OP(load)(sums + i);
            const VECTOR odd = OP(load)(sums + next + i);
            char *const at = out + i * 2 * (int64_t)sizeof(REAL);
            OP(store)(at, OP(zip_low)(even, odd));
            OP(store)(at + sizeof(VECTOR), OP(zip_high)(even, odd));
        }
    } else if (stride == 4) {
        for (; i + LANES <= whole; i += LANES) {
            const VECTOR a = OP(load)(sums + i);
            const VECTOR b = OP(load)(sums + next + i);
            const VECTOR c = OP(load)(sums + next * 2 + i);
            const VECTOR d = OP(load)(sums + next * 3 + i);
            const VECTOR even_low = OP(zip_low)(a, c);
            const VECTOR even_high = OP(zip_high)(a, c);
            const VECTOR odd_low = OP(zip_low)(b, d);
            const VECTOR odd_high = OP(zip_high)(b, d);
            char *const at = out + i * 4 * (int64_t)sizeof(REAL);
            OP(store)(at, OP(zip_low)(even_low, odd_low));
            OP(store)(at + sizeof(VECTOR), OP(zip_high)(even_low, odd_low));
            OP(store)(at + sizeof(VECTOR) * 2, OP(zip_low)(even_high, odd_high));
            OP(store)(at + sizeof(VECTOR) * 3, OP(zip_high)(even_high, odd_high));
        }
    }
    for (int64_t phase = 0; phase < stride; phase++) {
        for (int64_t j = i, k = i * stride + phase; k < count; j++, k += stride) {
            NAME(put)(to, k, sums[phase * next + j]);
        }
    }
}

/* Stores `count` outputs from `index` on. */
static void NAME(store_run)(const conv_transpose_problem *problem, int64_t index, const REAL *sums,
                            int64_t stride, int64_t count) {
#if HAS_HALF_TYPES
    if (problem->type != OPMILL_FLOAT) {
        REAL line[PHASES_MAX_LAST * 8 * LANES];
        NAME(interleave)(line, sums, stride, count);
        NAME(narrow)(problem->y, index, line, count, 0, problem->type);
        return;
    }
#endif
    NAME(interleave)((char *)problem->y + index * (int64_t)sizeof(REAL), sums, stride, count);
}

static bool NAME(has_nan)(const REAL *sums, int64_t stride, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        const REAL sum = sums[k % stride * (PHASES_MAX_TILE * LANES) + k / stride];
        if (sum != sum) {
            return true;
        }
    }
    return false;
}

#include "phases_rows.h"
