/* Windows of two or three elements along both axes, at strides of 1 or 2: strips of a vector of
 * windows go down a band. The largest of each row of X comes straight from X, without staging, and
 * stays in registers for all windows that meet it.
 *
 * planes_body.h includes this. */

/* Some windows of all rows of a band. */
typedef struct NAME(strip) {
    const planes_band *band;
    int64_t at; /* where they begin, in elements behind the beginning of the band */
    int64_t in; /* from row to row of X */
    bool has_limits;
    VECTOR limits[3]; /* for each tap, the largest that it may be: the lowest beyond row ends */
} NAME(strip);

/* A part of a row of X, where X does not have all that is read. */
typedef struct NAME(strip_copy) {
    REAL elements[3 * LANES];
} NAME(strip_copy);

static OPMILL_COLD const char *NAME(copy_strip)(const planes_band *band, int64_t at, int64_t count,
                                                int64_t bytes, NAME(strip_copy) *copy) {
    const int64_t from = opmill_max(-band->origin - at, 0), to = opmill_min(count, band->left - at);
    memset(copy, 0, sizeof *copy);
    if (from < to) {
        memcpy((char *)copy + from * bytes, band->x + (at + from) * bytes,
               (size_t)((to - from) * bytes));
    }
    return (const char *)copy;
}

/* The largest along the last axis in one row of the windows, counted from that of the first window
 * on: the lowest where that is padding. At a stride of 2, vectors are mixed: `in_order` orders
 * them. */
OPMILL_INLINE VECTOR NAME(strip_row)(const NAME(strip) *strip, int64_t row, int64_t taps,
                                     int64_t stride, int32_t type, NAME(strip_copy) *copy,
                                     MASK *nan) {
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    const int64_t count = stride * LANES + taps - stride + (stride == 2); /* that are read */
    const planes_band *const band = strip->band;
    const int64_t real = row - band->above, at = strip->at + real * strip->in;
    VECTOR first, second, third;
    if (real < 0 || real >= band->rows) {
        return OP(repeat)(LOWEST);
    }
    const char *const x = OPMILL_LIKELY(band->origin + at >= 0 && at + count <= band->left)
                              ? band->x + at * bytes
                              : NAME(copy_strip)(band, at, count, bytes, copy);
    if (stride == 1) {
        first = NAME(widen)(x, 0, type);
        second = NAME(widen)(x, 1, type);
        third = taps == 3 ? NAME(widen)(x, 2, type) : second;
        *nan = OP(either_nan)(*nan, first, third); /* all elements are in one of them */
    } else {
        const VECTOR a = NAME(widen)(x, 0, type), b = NAME(widen)(x, LANES, type);
        first = OP(mixed_even)(a, b);
        second = third = OP(mixed_odd)(a, b);
        *nan = OP(either_nan)(*nan, first, second);
        if (taps == 3) {
            third = OP(mixed_even)(NAME(widen)(x, 2, type), NAME(widen)(x, LANES + 2, type));
            *nan = OP(either_nan)(*nan, third, third);
        }
    }
    if (strip->has_limits) {
        first = OP(lowered)(first, strip->limits[0]);
        second = OP(lowered)(second, strip->limits[1]);
        third = OP(lowered)(third, strip->limits[2]);
    }
    const VECTOR best = OP(raised)(second, first);
    return taps == 3 ? OP(raised)(third, best) : best;
}

/* The windows of a strip to `y`, from where `capacity` elements may be written; where these are
 * fewer than a vector, `width` of them. */
OPMILL_INLINE void NAME(strip_windows)(const NAME(strip) *strip, int64_t taps, int64_t stride,
                                       int32_t x_type, char *y, int64_t out, int64_t width,
                                       int64_t capacity, int32_t type, MASK *nan) {
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    NAME(strip_copy) copy;
    MASK found = *nan;
    VECTOR first = OP(repeat)(LOWEST), second = first, third = first;
    if (taps > stride) { /* rows that a window has in common with the one before it */
        first = NAME(strip_row)(strip, 0, taps, stride, x_type, &copy, &found);
    }
    if (taps > stride + 1) {
        second = NAME(strip_row)(strip, 1, taps, stride, x_type, &copy, &found);
    }
    for (int64_t i = 0, row = 0; i < strip->band->count; i++, row += stride) {
        if (taps == stride) {
            first = NAME(strip_row)(strip, row, taps, stride, x_type, &copy, &found);
        }
        if (taps <= stride + 1) {
            second = NAME(strip_row)(strip, row + 1, taps, stride, x_type, &copy, &found);
        }
        VECTOR best = OP(raised)(second, first);
        if (taps == 3) {
            third = NAME(strip_row)(strip, row + 2, taps, stride, x_type, &copy, &found);
            best = OP(raised)(third, best);
        }
        const VECTOR ordered = stride == 2 ? OP(in_order)(best) : best;
        if (OPMILL_LIKELY(i * out + LANES <= capacity)) {
            NAME(narrow)(y + i * out * bytes, ordered, type);
        } else {
            REAL whole[LANES];
            NAME(narrow)((char *)whole, ordered, type);
            memcpy(y + i * out * bytes, whole, (size_t)(width * bytes));
        }
        first = stride == 1 ? second : third;
        second = taps == 3 && stride == 1 ? third : second;
    }
    *nan = found;
}

/* All windows of a band in a plane that begins `at` elements behind that of the first one. The last
 * strip of a row begins earlier than where the one before it ends, unless it is the only one: what
 * it has beyond the row is overwritten by the next row. */
OPMILL_INLINE void NAME(strips)(const planes_layout *layout, const planes_band *band, int64_t at,
                                int64_t taps, int64_t stride, int32_t x_type, const REAL *limits,
                                char *y, int64_t capacity, int32_t type, MASK *nan) {
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    const opmill_window_axis *const wide = &layout->axes.wide;
    NAME(strip) strip;
    strip.band = band;
    strip.in = wide->in;
    for (int64_t from = 0; from < wide->out; from += LANES) {
        const int64_t column = opmill_max(0, opmill_min(from, wide->out - LANES));
        strip.at = at + column * stride - wide->begin;
        strip.has_limits = column * stride < wide->begin ||
                           (column + LANES - 1) * stride + taps - wide->begin > wide->in;
        for (int64_t tap = 0; tap < 3; tap++) {
            strip.limits[tap] = OP(repeat)(HIGHEST);
            if (tap < taps) {
                const VECTOR limit = OP(load)(limits + tap * layout->limits_length + column);
                strip.limits[tap] = stride == 2 ? OP(in_order)(limit) : limit;
            }
        }
        NAME(strip_windows)(&strip, taps, stride, x_type, y + column * bytes, wide->out,
                            opmill_min(LANES, wide->out), capacity - column, type, nan);
    }
}

/* The same for the kernels and strides that there are; false where there is a NaN. */
OPMILL_INLINE bool NAME(strips_of)(const planes_layout *layout, const planes_band *band, int64_t at,
                                   int32_t x_type, const REAL *limits, char *y, int64_t capacity,
                                   int32_t type) {
    const int64_t taps = layout->axes.wide.kernel, stride = layout->axes.wide.stride;
    MASK nan = OP(no_nan)();
    if (taps == 2 && stride == 1) {
        NAME(strips)(layout, band, at, 2, 1, x_type, limits, y, capacity, type, &nan);
    } else if (taps == 2) {
        NAME(strips)(layout, band, at, 2, 2, x_type, limits, y, capacity, type, &nan);
    } else if (stride == 1) {
        NAME(strips)(layout, band, at, 3, 1, x_type, limits, y, capacity, type, &nan);
    } else {
        NAME(strips)(layout, band, at, 3, 2, x_type, limits, y, capacity, type, &nan);
    }
    return !OP(any)(nan);
}

static bool NAME(strips_result)(const planes_layout *layout, const planes_band *band, void *memory,
                                void *y, int64_t capacity, int32_t type) {
    const REAL *const limits = (const REAL *)memory + layout->limits;
    const int64_t in = layout->axes.high.in * layout->axes.wide.in;
    const int64_t out = band->count * layout->axes.wide.out;
    const int32_t x_type = layout->problem->type;
    bool numbers = true;
    for (int64_t k = 0; k < band->group && numbers; k++) {
#if HAS_HALF_TYPES
        if (x_type != OPMILL_FLOAT) {
            const int64_t bytes = type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
            numbers = NAME(strips_of)(layout, band, k * in, x_type, limits,
                                      (char *)y + k * out * bytes, capacity - k * out, type);
            continue;
        }
        numbers = NAME(strips_of)(layout, band, k * in, OPMILL_FLOAT, limits,
                                  (char *)((REAL *)y + k * out), capacity - k * out, OPMILL_FLOAT);
#else
        numbers = NAME(strips_of)(layout, band, k * in, x_type, limits,
                                  (char *)((REAL *)y + k * out), capacity - k * out, type);
#endif
    }
    return numbers;
}
