/* The phases kernel for one type and instruction set: what phases_functions lists.
 *
 * A file that includes this has included a vector header and defines REAL (what is computed with),
 * VECTOR, MASK, LANES, OP(operation) and NAME(function). Half types are widened when the box is
 * filled and the weights are packed, and rounded once, when a finished run is stored.
 */
#include "phases_tile.h"

/* Elements of W that are turned at once, and how many channels ahead W is asked for. */
enum { NAME(line) = 4096, NAME(ahead) = 6 };

/* [map][tap] to [tap][map]; maps is a constant, and both ends may be passed by one vector. */
OPMILL_INLINE void NAME(transpose)(const int maps, REAL *to, const REAL *from, int64_t taps) {
    for (int64_t t = 0; t < taps; t += LANES, to += maps * LANES) {
        VECTOR parts[8];
    UNROLLED for (int m = 0; m < maps; m++) {
            parts[m] = OP(load)(from + m * taps + t);
        }
        NAME(zip)(maps, parts);
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
