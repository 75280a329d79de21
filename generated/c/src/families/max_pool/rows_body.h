/* The functions of the rows kernel, for one type and instruction set.
 *
 * types_body.h includes this, with REAL (what is compared), VECTOR, LANES, OP(operation),
 * NAME(function), LOWEST, HAS_NAN and HAS_HALF_TYPES. */

/* A vector of elements of X, as REAL. */
static inline VECTOR NAME(widen)(const char *elements, int64_t index, int32_t type) {
#if HAS_HALF_TYPES
    if (type == OPMILL_FLOAT16) {
        return OP(load_float16)(elements + index * 2);
    }
    if (type == OPMILL_BFLOAT16) {
        return OP(load_bfloat16)(elements + index * 2);
    }
#endif
    (void)type;
    return OP(load)(elements + index * (int64_t)sizeof(REAL));
}

static inline REAL NAME(element)(const char *elements, int64_t index, int32_t type) {
    REAL value;
#if HAS_HALF_TYPES
    if (type == OPMILL_FLOAT16 || type == OPMILL_BFLOAT16) {
        uint16_t bits;
        memcpy(&bits, elements + index * 2, sizeof bits);
        return type == OPMILL_FLOAT16 ? opmill_float16_to_float(bits)
                                      : opmill_bfloat16_to_float(bits);
    }
#endif
    (void)type;
    memcpy(&value, elements + index * (int64_t)sizeof value, sizeof value);
    return value;
}

/* Padding from one place to another; up to a vector more is written behind it. */
static inline void NAME(pad)(REAL *to, int64_t from, int64_t end) {
    for (int64_t i = from; i < end; i += LANES) {
        OP(store)(to + i, OP(repeat)(LOWEST));
    }
}

/* The last elements of a row, fewer than two vectors of them, with room for two. */
typedef struct NAME(rest) {
    REAL elements[2 * LANES];
} NAME(rest);

/* Where `count` elements can be read from `from` on, of which those before `to` matter: in the row
 * itself if X goes on for so long, else in a copy. */
static inline const char *NAME(readable)(const char *row, int64_t from, int64_t to, int64_t count,
                                         int64_t left, int32_t type, NAME(rest) *rest) {
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    if (from + count <= left) {
        return row + from * bytes;
    }
    memset(rest, 0, sizeof *rest);
    memcpy(rest, row + from * bytes, (size_t)((to - from) * bytes));
    return (const char *)rest;
}

/* Stages elements `from` to `to` - 1 of a row, element `from` at `at`, side by side; up to a vector
 * more is written behind them. X has `left` elements from the row on. True where all that was read
 * are numbers. */
static inline bool NAME(stage_run)(REAL *at, const char *row, int64_t from, int64_t to,
                                   int64_t left, int32_t type) {
    MASK nan = OP(no_nan)();
    int64_t i = from;
    for (; i + LANES <= to; i += LANES) {
        const VECTOR value = NAME(widen)(row, i, type);
        nan = OP(either_nan)(nan, value, value);
        OP(store)(at + (i - from), value);
    }
    if (i < to) {
        NAME(rest) rest;
        const char *const read = NAME(readable)(row, i, to, LANES, left, type, &rest);
        const VECTOR value = NAME(widen)(read, 0, type);
        nan = OP(either_nan)(nan, value, value);
        OP(store)(at + (i - from), value);
    }
    return !OP(any)(nan);
}

/* The same by pairs: the first of each to `even`, the second to `odd`. */
static inline bool NAME(stage_pairs)(REAL *even, REAL *odd, const char *row, int64_t from,
                                     int64_t to, int64_t left, int32_t type) {
    MASK nan = OP(no_nan)();
    for (int64_t i = from, k = 0; i < to; i += 2 * LANES, k += LANES) {
        NAME(rest) rest;
        const char *const read =
            i + 2 * LANES <= to
                ? row + i * (HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL))
                : NAME(readable)(row, i, to, 2 * LANES, left, type, &rest);
        const VECTOR a = NAME(widen)(read, 0, type);
        const VECTOR b = NAME(widen)(read, LANES, type);
        nan = OP(either_nan)(nan, a, b);
        OP(store)(even + k, OP(unzip)(a, b));
        OP(store)(odd + k, OP(odd)(a, b));
    }
    return !OP(any)(nan);
}

/* Stages what `count` windows from window `from` on meet, padding and all. */
static inline bool NAME(stage)(const rows_layout *layout, const char *row, int64_t left,
                               int64_t from, int64_t count, REAL *staged) {
    const opmill_window_axis *const axis = &layout->axes.wide;
    const int32_t type = layout->problem->type;
    const int64_t stride = axis->stride;
    const int64_t length = layout->phase_length;
    const int64_t start = from * stride - axis->begin;
    const int64_t span = (count - 1) * stride + (axis->kernel - 1) * axis->dilation + 1;
    /* What of the row there is, counted from the start. */
    const int64_t first = opmill_min(start < 0 ? -start : 0, span);
    const int64_t end = opmill_max(first, opmill_min(span, axis->in - start));
    /* What is read of a phase. */
    const int64_t needed = (count + LANES - 1) / LANES * LANES + layout->last_shift + 1;
    bool numbers = true;
    if (stride == 1) {
        NAME(pad)(staged, 0, first);
        numbers = NAME(stage_run)(staged + first, row, start + first, start + end, left, type);
        NAME(pad)(staged, end, needed);
    } else if (stride == 2) {
        REAL *const odd = staged + length;
        NAME(pad)(staged, 0, (first + 1) / 2);
        NAME(pad)(odd, 0, first / 2);
        /* Pairs begin where the row does: with an odd start, the first of each is an odd one. */
        numbers = first % 2 == 0 ? NAME(stage_pairs)(staged + first / 2, odd + first / 2, row,
                                                     start + first, start + end, left, type)
                                 : NAME(stage_pairs)(odd + first / 2, staged + first / 2 + 1, row,
                                                     start + first, start + end, left, type);
        NAME(pad)(staged, (end + 1) / 2, needed);
        NAME(pad)(odd, end / 2, needed);
    } else {
        for (int64_t phase = 0; phase < layout->phases; phase++) {
            REAL *const to = staged + phase * length;
            const int64_t before = first > phase ? (first - phase - 1) / stride + 1 : 0;
            const int64_t after = end > phase ? (end - phase - 1) / stride + 1 : 0;
            NAME(pad)(to, 0, before);
            for (int64_t i = before; i < after; i++) {
                const REAL value = NAME(element)(row, start + i * stride + phase, type);
                numbers = numbers && IS_NUMBER(value);
                to[i] = value;
            }
            NAME(pad)(to, after, needed);
        }
    }
    return numbers;
}

/* The largest of the taps of one vector of windows, in their order. */
OPMILL_INLINE void NAME(reduce_taps)(const REAL *staged, const int32_t *tap_at, int64_t taps,
                                     int64_t count, REAL *largest) {
    for (int64_t i = 0; i < count; i += LANES) {
        VECTOR best = OP(load)(staged + i + tap_at[0]);
        for (int64_t tap = 1; tap < taps; tap++) {
            best = OP(raised)(OP(load)(staged + i + tap_at[tap]), best);
        }
        OP(store)(largest + i, best);
    }
}

static bool NAME(reduce)(const rows_layout *layout, const void *row, int64_t left, int64_t from,
                         int64_t count, void *largest, void *staged) {
    if (!NAME(stage)(layout, row, left, from, count, staged)) {
        return false;
    }
    switch (layout->axes.wide.kernel) { /* the usual ones unrolled */
    case 2:
        NAME(reduce_taps)(staged, layout->tap_at, 2, count, largest);
        break;
    case 3:
        NAME(reduce_taps)(staged, layout->tap_at, 3, count, largest);
        break;
    default:
        NAME(reduce_taps)(staged, layout->tap_at, layout->axes.wide.kernel, count, largest);
    }
    return true;
}

/* The largest of neighbours, of equal ones the first. False where there is a NaN. */
static inline bool NAME(search_window)(const char *row, int64_t from, int64_t to, int32_t type,
                                       REAL *largest) {
    MASK nan = OP(no_nan)();
    REAL best = LOWEST;
    bool numbers = true;
    int64_t i = from;
    if (to - from >= LANES) {
        REAL lanes[LANES];
        VECTOR all = NAME(widen)(row, from, type);
        nan = OP(either_nan)(nan, all, all);
        for (i += LANES; i + LANES <= to; i += LANES) {
            const VECTOR value = NAME(widen)(row, i, type);
            nan = OP(either_nan)(nan, value, value);
            all = OP(raised)(value, all);
        }
        if (i < to) { /* again some that were there */
            const VECTOR value = NAME(widen)(row, to - LANES, type);
            nan = OP(either_nan)(nan, value, value);
            all = OP(raised)(value, all);
        }
        OP(store)(lanes, all);
        for (int lane = 0; lane < LANES; lane++) {
            best = lanes[lane] > best ? lanes[lane] : best;
        }
        i = to;
    }
    for (; i < to; i++) {
        const REAL value = NAME(element)(row, i, type);
        numbers = numbers && IS_NUMBER(value);
        best = value > best ? value : best;
    }
#if HAS_NAN
    if (best == 0) { /* of either sign: the first one's */
        for (i = from; NAME(element)(row, i, type) != 0 && i < to - 1;) {
            i++;
        }
        best = NAME(element)(row, i, type);
    }
#endif
    *largest = best;
    return numbers && !OP(any)(nan);
}

static bool NAME(search)(const rows_layout *layout, const void *row, int64_t left, int64_t from,
                         int64_t count, void *largest, void *staged) {
    bool numbers = true;
    (void)left;
    (void)staged;
    for (int64_t i = 0; i < count && numbers; i++) {
        const opmill_taps taps = opmill_taps_of(&layout->axes.wide, from + i);
        numbers = NAME(search_window)(row, taps.first, taps.first + taps.count,
                                      layout->problem->type, (REAL *)largest + i);
    }
    return numbers;
}

/* Stores a vector as elements of Y. */
static inline void NAME(narrow)(char *to, VECTOR value, int32_t type) {
#if HAS_HALF_TYPES
    if (type == OPMILL_FLOAT16) {
        OP(store_float16)(to, value);
        return;
    }
    if (type == OPMILL_BFLOAT16) {
        OP(store_exact_bfloat16)(to, value);
        return;
    }
#endif
    (void)type;
    OP(store)(to, value);
}

OPMILL_INLINE void NAME(combine_rows)(const void *const *rows, int64_t row_count, char *y,
                                      int64_t bytes, int64_t count, int32_t type) {
    for (int64_t i = 0; i < count; i += LANES) {
        VECTOR best = OP(repeat)(LOWEST);
        if (row_count > 0) {
            best = OP(load)((const REAL *)rows[0] + i);
        }
        for (int64_t row = 1; row < row_count; row++) {
            best = OP(raised)(OP(load)((const REAL *)rows[row] + i), best);
        }
        if (i + LANES <= count) {
            NAME(narrow)(y + i * bytes, best, type);
        } else {
            REAL whole[LANES];
            NAME(narrow)((char *)whole, best, type);
            memcpy(y + i * bytes, whole, (size_t)((count - i) * bytes));
        }
    }
}

static void NAME(combine)(const max_pool_problem *problem, const void *const *rows,
                          int64_t row_count, int64_t output, int64_t count) {
    const int32_t type = problem->type;
    const int64_t bytes = opmill_type_bytes(type);
    char *const y = (char *)problem->y + output * bytes;
    switch (row_count) {
    case 2:
        NAME(combine_rows)(rows, 2, y, bytes, count, type);
        break;
    case 3:
        NAME(combine_rows)(rows, 3, y, bytes, count, type);
        break;
    default:
        NAME(combine_rows)(rows, row_count, y, bytes, count, type);
    }
}
