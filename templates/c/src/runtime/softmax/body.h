/* The loops for one element type and instruction set; kinds.h includes this.
 *
 * ELEMENT is what memory holds, REAL what is computed with. If WIDENS, they differ: WIDEN(from,
 * space, count) gives elements as reals, in the space, and NARROW(from, to, count) rounds reals.
 * EXP(x) is the exponential of a real, ONE the element 1. EXP_NEAR(x), where it is defined, is the
 * same for x from -NEAR to 0.
 *
 * A NaN passes comparisons by; it comes back through the sum of the exponentials. Of a line whose
 * largest element is infinite, the difference to it is NaN somewhere too. */
#define LARGER(a, b) ((b) > (a) ? (b) : (a))
#define LARGER_OR_NAN(a, b) ((b) > (a) || (b) != (b) ? (b) : (a)) /* a NaN in a stays */
#define SUM(a, b) ((a) + (b))

enum { NAME(SPACE) = WIDENS ? OPMILL_LANES_BLOCK : 1 };

#define DEFINE_EXTREME(name, COMBINE)                                                \
    static REAL NAME(name)(const REAL *x, int64_t count, REAL found) {               \
        REAL lanes[OPMILL_LANES];                                                    \
        int64_t i = 0;                                                               \
        if (count >= OPMILL_LANES) {                                                 \
            for (int k = 0; k < OPMILL_LANES; k++) {                                 \
                lanes[k] = x[k];                                                     \
            }                                                                        \
            for (i = OPMILL_LANES; i + OPMILL_LANES <= count; i += OPMILL_LANES) {   \
                for (int k = 0; k < OPMILL_LANES; k++) {                             \
                    lanes[k] = COMBINE(lanes[k], x[i + k]);                          \
                }                                                                    \
            }                                                                        \
            OPMILL_LANES_JOIN(lanes, COMBINE);                                       \
            found = COMBINE(found, lanes[0]);                                        \
        }                                                                            \
        for (; i < count; i++) {                                                     \
            found = COMBINE(found, x[i]);                                            \
        }                                                                            \
        return found;                                                                \
    }
DEFINE_EXTREME(largest, LARGER)
DEFINE_EXTREME(largest_or_nan, LARGER_OR_NAN)

#ifdef EXP_NEAR
#define SMALLER(a, b) ((b) < (a) ? (b) : (a))
DEFINE_EXTREME(smallest, SMALLER)
#endif
#undef DEFINE_EXTREME

#define DEFINE_POWERS(name, EXPONENTIAL)                                                           \
    static REAL NAME(name)(const REAL *restrict x, REAL *restrict y, int64_t count, REAL largest) { \
        REAL lanes[OPMILL_LANES], sum = 0;                                                         \
        int64_t i = 0;                                                                             \
        if (count >= OPMILL_LANES) {                                                               \
            for (int k = 0; k < OPMILL_LANES; k++) {                                               \
                lanes[k] = 0;                                                                      \
            }                                                                                      \
            for (; i + OPMILL_LANES <= count; i += OPMILL_LANES) {                                 \
                for (int k = 0; k < OPMILL_LANES; k++) {                                           \
                    const REAL power = EXPONENTIAL(x[i + k] - largest);                            \
                    y[i + k] = power;                                                              \
                    lanes[k] += power;                                                             \
                }                                                                                  \
            }                                                                                      \
            OPMILL_LANES_JOIN(lanes, SUM);                                                         \
            sum = lanes[0];                                                                        \
        }                                                                                          \
        for (; i < count; i++) {                                                                   \
            y[i] = EXPONENTIAL(x[i] - largest);                                                    \
            sum += y[i];                                                                           \
        }                                                                                          \
        return sum;                                                                                \
    }
DEFINE_POWERS(any_powers, EXP)
#ifdef EXP_NEAR
DEFINE_POWERS(near_powers, EXP_NEAR)
#endif
#undef DEFINE_POWERS

/* The exponentials of a block of elements, each less the largest, and their sum. Where all lie near
 * it, a shorter computation gives the same bits; of a NaN it makes a NaN. */
static REAL NAME(powers)(const REAL *restrict x, REAL *restrict y, int64_t count, REAL largest) {
#ifdef EXP_NEAR
    if (NAME(smallest)(x, count, largest) - largest >= -NEAR) {
        return NAME(near_powers)(x, y, count, largest);
    }
#endif
    return NAME(any_powers)(x, y, count, largest);
}

/* The largest element of a row. */
static REAL NAME(peak)(const ELEMENT *x, int64_t length,
                       REAL (*find)(const REAL *, int64_t, REAL)) {
    REAL wide[NAME(SPACE)], found = -INFINITY;
    (void)wide;
    for (int64_t i = 0; i < length; i += OPMILL_LANES_BLOCK) {
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_BLOCK ? left : OPMILL_LANES_BLOCK;
        found = find(WIDEN(x + i, wide, size), size, found);
    }
    return found;
}

static void NAME(softmax_row)(const void *from, void *to, int64_t length) {
    REAL wide[NAME(SPACE)], space[NAME(SPACE)];
    const ELEMENT *const x = from;
    ELEMENT *const y = to;
    const REAL largest = NAME(peak)(x, length, NAME(largest));
    double sum = 0;
    (void)wide, (void)space;
    for (int64_t i = 0; i < length; i += OPMILL_LANES_BLOCK) {
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_BLOCK ? left : OPMILL_LANES_BLOCK;
        sum += (double)NAME(powers)(WIDEN(x + i, wide, size),
                                    WIDENS ? space : (REAL *)(void *)(y + i), size, largest);
    }
    const REAL factor = (REAL)(1 / sum);
#if WIDENS
    for (int64_t i = 0; i < length; i += OPMILL_LANES_BLOCK) {
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_BLOCK ? left : OPMILL_LANES_BLOCK;
        if (length > OPMILL_LANES_BLOCK) { /* else the space holds them */
            NAME(powers)(WIDEN(x + i, wide, size), space, size, largest);
        }
        for (int64_t k = 0; k < size; k++) {
            space[k] *= factor;
        }
        NARROW(space, y + i, size);
    }
#else
    for (int64_t i = 0; i < length; i++) {
        y[i] *= factor;
    }
#endif
}

static void NAME(log_softmax_row)(const void *from, void *to, int64_t length) {
    REAL wide[NAME(SPACE)], space[OPMILL_LANES_BLOCK];
    const ELEMENT *restrict const x = from;
    ELEMENT *restrict const y = to;
    const REAL largest = NAME(peak)(x, length, NAME(largest));
    double sum = 0;
    (void)wide;
    for (int64_t i = 0; i < length; i += OPMILL_LANES_BLOCK) {
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_BLOCK ? left : OPMILL_LANES_BLOCK;
        sum += (double)NAME(powers)(WIDEN(x + i, wide, size), space, size, largest);
    }
    const REAL logarithm = (REAL)opmill_log_double(sum);
#if WIDENS
    for (int64_t i = 0; i < length; i += OPMILL_LANES_BLOCK) {
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_BLOCK ? left : OPMILL_LANES_BLOCK;
        (void)WIDEN(x + i, wide, size);
        for (int64_t k = 0; k < size; k++) {
            space[k] = (wide[k] - largest) - logarithm;
        }
        NARROW(space, y + i, size);
    }
#else
    for (int64_t i = 0; i < length; i++) {
        y[i] = (x[i] - largest) - logarithm;
    }
#endif
}

static void NAME(hardmax_row)(const void *from, void *to, int64_t length) {
    REAL wide[NAME(SPACE)];
    const ELEMENT *const x = from;
    ELEMENT *const y = to;
    const REAL largest = NAME(peak)(x, length, NAME(largest_or_nan));
    (void)wide;
    memset(y, 0, (size_t)length * sizeof *y);
    for (int64_t i = 0; i < length; i += OPMILL_LANES_BLOCK) {
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_BLOCK ? left : OPMILL_LANES_BLOCK;
        const REAL *const block = WIDEN(x + i, wide, size);
        for (int64_t k = 0; k < size; k++) {
            if (block[k] == largest || block[k] != block[k]) {
                y[i + k] = ONE;
                return;
            }
        }
    }
}

#define ROW(r) WIDEN(x + (r) * step, wide, width)

/* The largest element of each column. */
static void NAME(peaks)(const ELEMENT *x, int64_t length, int64_t step, int64_t width,
                        REAL *restrict found) {
    REAL wide[OPMILL_SOFTMAX_COLUMNS];
    (void)wide;
    for (int64_t k = 0; k < width; k++) {
        found[k] = -INFINITY;
    }
    for (int64_t i = 0; i < length; i++) {
        const REAL *const row = ROW(i);
        for (int64_t k = 0; k < width; k++) {
            found[k] = LARGER(found[k], row[k]);
        }
    }
}

/* The sums of the exponentials of each column; where there is room in `y`, these too. */
static void NAME(sums)(const ELEMENT *x, REAL *restrict y, int64_t length, int64_t step,
                       int64_t width, const REAL *largest, double *restrict sums) {
    REAL wide[OPMILL_SOFTMAX_COLUMNS], space[OPMILL_SOFTMAX_COLUMNS];
    REAL parts[OPMILL_SOFTMAX_COLUMNS];
    (void)wide;
    for (int64_t k = 0; k < width; k++) {
        sums[k] = 0;
    }
    for (int64_t i = 0; i < length;) {
        const int64_t end = length - i < OPMILL_LANES_ROWS ? length : i + OPMILL_LANES_ROWS;
        for (int64_t k = 0; k < width; k++) {
            parts[k] = 0;
        }
        for (; i < end; i++) {
            const REAL *const row = ROW(i);
            REAL *const powers = y != NULL ? y + i * step : space;
            for (int64_t k = 0; k < width; k++) {
                const REAL power = EXP(row[k] - largest[k]);
                powers[k] = power;
                parts[k] += power;
            }
        }
        for (int64_t k = 0; k < width; k++) {
            sums[k] += (double)parts[k];
        }
    }
}

static void NAME(softmax_columns)(const void *from, void *to, int64_t length, int64_t step,
                                  int64_t width) {
    REAL largest[OPMILL_SOFTMAX_COLUMNS], factors[OPMILL_SOFTMAX_COLUMNS];
    double sums[OPMILL_SOFTMAX_COLUMNS];
    const ELEMENT *const x = from;
    ELEMENT *const y = to;
    NAME(peaks)(x, length, step, width, largest);
    NAME(sums)(x, WIDENS ? NULL : to, length, step, width, largest, sums);
    for (int64_t k = 0; k < width; k++) {
        factors[k] = (REAL)(1 / sums[k]);
    }
    for (int64_t i = 0; i < length; i++) {
#if WIDENS
        REAL wide[OPMILL_SOFTMAX_COLUMNS];
        (void)ROW(i);
        for (int64_t k = 0; k < width; k++) {
            wide[k] = EXP(wide[k] - largest[k]) * factors[k];
        }
        NARROW(wide, y + i * step, width);
#else
        for (int64_t k = 0; k < width; k++) {
            y[i * step + k] *= factors[k];
        }
#endif
    }
#if !WIDENS
    (void)x;
#endif
}

static void NAME(log_softmax_columns)(const void *from, void *to, int64_t length, int64_t step,
                                      int64_t width) {
    REAL largest[OPMILL_SOFTMAX_COLUMNS], logarithms[OPMILL_SOFTMAX_COLUMNS];
    REAL wide[OPMILL_SOFTMAX_COLUMNS];
    double sums[OPMILL_SOFTMAX_COLUMNS];
    const ELEMENT *restrict const x = from;
    ELEMENT *restrict const y = to;
    (void)wide;
    NAME(peaks)(x, length, step, width, largest);
    NAME(sums)(x, NULL, length, step, width, largest, sums);
    for (int64_t k = 0; k < width; k++) {
        logarithms[k] = (REAL)opmill_log_double(sums[k]);
    }
    for (int64_t i = 0; i < length; i++) {
        const REAL *const row = ROW(i);
        REAL *const result = WIDENS ? wide : (REAL *)(void *)(y + i * step);
        for (int64_t k = 0; k < width; k++) {
            result[k] = (row[k] - largest[k]) - logarithms[k];
        }
        NARROW(result, y + i * step, width);
    }
}

static void NAME(hardmax_columns)(const void *from, void *to, int64_t length, int64_t step,
                                  int64_t width) {
    REAL largest[OPMILL_SOFTMAX_COLUMNS], wide[OPMILL_SOFTMAX_COLUMNS];
    int64_t places[OPMILL_SOFTMAX_COLUMNS];
    const ELEMENT *const x = from;
    ELEMENT *const y = to;
    (void)wide;
    for (int64_t k = 0; k < width; k++) {
        largest[k] = -INFINITY;
        places[k] = 0;
    }
    for (int64_t i = 0; i < length; i++) {
        const REAL *const row = ROW(i);
        for (int64_t k = 0; k < width; k++) {
            const int more = row[k] > largest[k] || (row[k] != row[k] && largest[k] == largest[k]);
            largest[k] = more ? row[k] : largest[k];
            places[k] = more ? i : places[k];
        }
    }
    for (int64_t i = 0; i < length; i++) {
        for (int64_t k = 0; k < width; k++) {
            y[i * step + k] = places[k] == i ? ONE : 0;
        }
    }
}

static const opmill_softmax_loops NAME(loops) = {
    {NAME(hardmax_row), NAME(log_softmax_row), NAME(softmax_row)},
    {NAME(hardmax_columns), NAME(log_softmax_columns), NAME(softmax_columns)},
};

#undef ROW
#undef LARGER
#undef LARGER_OR_NAN
#undef SUM
#undef NAME
#undef ELEMENT
#undef REAL
#undef WIDENS
#undef WIDEN
#undef NARROW
#undef EXP
#ifdef EXP_NEAR
#undef EXP_NEAR
#undef NEAR
#undef SMALLER
#endif
#undef ONE
