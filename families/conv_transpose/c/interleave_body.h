/* Sums by phase into the order of Y, for one type and instruction set. */

/* parts[0..ways) become their elements in turn: round by round, each vector is joined, element by
 * element, with the one half the vectors away. `ways` is a constant, a power of two. */
OPMILL_INLINE void NAME(zip)(const int ways, VECTOR *parts) {
    UNROLLED for (int length = 1; length < ways; length *= 2) {
        VECTOR joined[16];
        const int half = ways / 2;
        UNROLLED for (int i = 0; i < half; i++) {
            joined[2 * i] = OP(zip_low)(parts[i], parts[i + half]);
            joined[2 * i + 1] = OP(zip_high)(parts[i], parts[i + half]);
        }
        UNROLLED for (int i = 0; i < ways; i++) {
            parts[i] = joined[i];
        }
    }
}

/* The first of the vectors that `zip` makes. */
OPMILL_INLINE VECTOR NAME(zip_first)(const int ways,
                                                                    VECTOR *parts) {
    UNROLLED for (int half = ways / 2; half > 0; half /= 2) {
        UNROLLED for (int i = 0; i < half; i++) {
            parts[i] = OP(zip_low)(parts[i], parts[i + half]);
        }
    }
    return parts[0];
}

/* Stores elements of `ways` vectors in turn, `count` of them, if there are so many; what is in the
 * vectors is lost. `ways` is the stride, or the next power of two: then each group of so many
 * elements ends with some that are not of Y. They are squeezed out of groups that share a vector,
 * and overwritten by what follows where a group has vectors of its own. */
OPMILL_INLINE void NAME(store_zipped)(const int ways, char *to,
                                                                     VECTOR *parts, int64_t stride,
                                                                     int64_t count) {
    const int whole = ways > LANES ? ways / LANES : 1; /* vectors of a group */
    const int64_t used = ways > LANES ? stride : LANES / ways * stride;
    const bool squeezes = ways < LANES && stride < ways;
    if (whole == 1 && count <= used) { /* the end of a row */
        const VECTOR part = NAME(zip_first)(ways, parts);
        OP(store_part)(to, squeezes ? OP(squeeze)(part, ways, stride) : part, count);
        return;
    }
    NAME(zip)(ways, parts);
    UNROLLED for (int p = 0; p < ways; p++) {
        const int64_t at = p / whole * used + p % whole * LANES;
        const int64_t left = count - at;
        const VECTOR part = squeezes ? OP(squeeze)(parts[p], ways, stride) : parts[p];
        if (left >= LANES) {
            OP(store)(to + at * (int64_t)sizeof(REAL), part);
        } else if (left > 0) {
            OP(store_part)(to + at * (int64_t)sizeof(REAL), part, left);
        }
    }
}

OPMILL_INLINE void
NAME(interleave_by)(const int ways, char *to, const REAL *sums, int64_t next, int64_t stride,
                    int64_t count) {
    for (int64_t done = 0; done < count; done += stride * LANES, sums += LANES) {
        VECTOR parts[16];
        UNROLLED for (int p = 0; p < ways; p++) {
            parts[p] = OP(load)(sums + (p < stride ? p : 0) * next);
        }
        NAME(store_zipped)(ways, to + done * (int64_t)sizeof(REAL), parts, stride, count - done);
    }
}

/* Stores `count` outputs of a row, beginning with the first phase. The sums of a phase follow each
 * other, and are `next` elements from those of the next phase; whole vectors of them are read. */
static void NAME(interleave)(void *to, const REAL *sums, int64_t next, int64_t stride,
                             int64_t count) {
    if (stride == 1) {
        NAME(interleave_by)(1, to, sums, next, 1, count);
    } else if (stride == 2) {
        NAME(interleave_by)(2, to, sums, next, 2, count);
    } else if (stride <= 4) {
        NAME(interleave_by)(4, to, sums, next, stride, count);
    } else if (stride <= 8) {
        NAME(interleave_by)(8, to, sums, next, stride, count);
    } else {
        NAME(interleave_by)(16, to, sums, next, stride, count);
    }
}

/* Stores outputs of Y from `index` on. */
static void NAME(store_run)(const conv_transpose_problem *problem, int64_t index, const REAL *sums,
                            int64_t next, int64_t stride, int64_t count) {
#if HAS_HALF_TYPES
    if (problem->type != OPMILL_FLOAT) {
        REAL line[PHASES_MAX_LAST * 8 * LANES];
        NAME(interleave)(line, sums, next, stride, count);
        NAME(narrow)(problem->y, index, line, count, 0, problem->type);
        return;
    }
#endif
    NAME(interleave)((char *)problem->y + index * (int64_t)sizeof(REAL), sums, next, stride,
                     count);
}
