/* The loops for one element type and instruction set; kinds.h includes this.
 *
 * ELEMENT is what memory holds, REAL what is computed with. If WIDENS, they differ: WIDEN(from,
 * space, count) gives elements as reals, in the space, and NARROW(from, to, count) rounds reals.
 * ONE is the element 1. EXP(name) are the functions of exponentials.h on an EXP_BLOCK.
 *
 * A NaN passes comparisons by; it comes back through the sum of the exponentials. Of a line whose
 * largest element is infinite, the difference to it is NaN somewhere too. */
#define LARGER(a, b) ((b) > (a) ? (b) : (a))
#define LARGER_OR_NAN(a, b) ((b) > (a) || (b) != (b) ? (b) : (a)) /* a NaN in a stays */
#define SMALLER(a, b) ((b) < (a) ? (b) : (a))
#define SUM(a, b) ((a) + (b))

enum {
    NAME(SPACE) = WIDENS ? OPMILL_SOFTMAX_BATCH : 1,
    NAME(CHUNK) = WIDENS ? OPMILL_LANES_CHUNK : 1
};

/* The largest and the smallest element of those that were seen. */
typedef struct NAME(range) {
    REAL largest;
    REAL smallest;
} NAME(range);

#define DEFINE_FIND(name, LARGEST)                                                         \
    static NAME(range) NAME(name)(const REAL *x, int64_t count, NAME(range) found) {       \
        REAL largest[OPMILL_LANES], smallest[OPMILL_LANES];                                \
        int64_t i = 0;                                                                     \
        if (count >= OPMILL_LANES) {                                                       \
            for (int k = 0; k < OPMILL_LANES; k++) {                                       \
                largest[k] = smallest[k] = x[k];                                           \
            }                                                                              \
            for (i = OPMILL_LANES; i + OPMILL_LANES <= count; i += OPMILL_LANES) {         \
                for (int k = 0; k < OPMILL_LANES; k++) {                                   \
                    largest[k] = LARGEST(largest[k], x[i + k]);                            \
                    smallest[k] = SMALLER(smallest[k], x[i + k]);                          \
                }                                                                          \
            }                                                                              \
            OPMILL_LANES_JOIN(largest, LARGEST);                                           \
            OPMILL_LANES_JOIN(smallest, SMALLER);                                          \
            found.largest = LARGEST(found.largest, largest[0]);                            \
            found.smallest = SMALLER(found.smallest, smallest[0]);                         \
        }                                                                                  \
        for (; i < count; i++) {                                                           \
            found.largest = LARGEST(found.largest, x[i]);                                  \
            found.smallest = SMALLER(found.smallest, x[i]);                                \
        }                                                                                  \
        return found;                                                                      \
    }
DEFINE_FIND(find, LARGER)
DEFINE_FIND(find_or_nan, LARGER_OR_NAN)
#undef DEFINE_FIND

/* The sum of up to OPMILL_LANES_BLOCK elements. */
static REAL NAME(sum)(const REAL *x, int64_t count) {
    REAL lanes[OPMILL_LANES], sum = 0;
    int64_t i = 0;
    if (count >= OPMILL_LANES) {
        for (int k = 0; k < OPMILL_LANES; k++) {
            lanes[k] = x[k];
        }
        for (i = OPMILL_LANES; i + OPMILL_LANES <= count; i += OPMILL_LANES) {
            for (int k = 0; k < OPMILL_LANES; k++) {
                lanes[k] += x[i + k];
            }
        }
        OPMILL_LANES_JOIN(lanes, SUM);
        sum = lanes[0];
    }
    for (; i < count; i++) {
        sum += x[i];
    }
    return sum;
}

/* Adds whole rounds of elements to the lanes; returns how many elements these are. */
static int64_t NAME(add_rounds)(const REAL *restrict x, int64_t count, REAL *restrict lanes) {
    int64_t i = 0;
    for (; i + OPMILL_LANES <= count; i += OPMILL_LANES) {
        for (int k = 0; k < OPMILL_LANES; k++) {
            lanes[k] += x[i + k];
        }
    }
    return i;
}

/* The exponentials of elements, each less the largest. */
#define DEFINE_POWERS(name, put, get)                                                              \
    static void NAME(name)(const REAL *restrict x, REAL *restrict y, int64_t count, REAL largest) { \
        EXP_BLOCK block;                                                                           \
        for (int64_t size; count > 0; x += size, y += size, count -= size) {                       \
            size = count < OPMILL_MATH_BLOCK ? count : OPMILL_MATH_BLOCK;                          \
            for (int64_t i = 0; i < size; i++) {                                                   \
                EXP(put)(&block, i, x[i] - largest);                                               \
            }                                                                                      \
            for (int64_t i = 0; i < size; i++) {                                                   \
                y[i] = EXP(get)(&block, i);                                                        \
            }                                                                                      \
        }                                                                                          \
    }
DEFINE_POWERS(any_powers, put, get)
DEFINE_POWERS(near_powers, put_near, get_near)
#undef DEFINE_POWERS

/* Where all lie near the largest, a shorter computation gives the same bits, and a NaN of a NaN. */
static void NAME(powers)(const REAL *restrict x, REAL *restrict y, int64_t count,
                         NAME(range) of_row) {
    const REAL largest = of_row.largest;
    const NAME(range) none = {largest, largest};
    if (of_row.smallest - largest >= -NEAR ||
        NAME(find)(x, count, none).smallest - largest >= -NEAR) {
        NAME(near_powers)(x, y, count, largest);
    } else {
        NAME(any_powers)(x, y, count, largest);
    }
}

/* Several short rows, OPMILL_SOFTMAX_BATCH elements at most: processors overlap steps of different
 * rows, whose results do not wait for each other. */
typedef struct NAME(batch) {
    NAME(range) ranges[OPMILL_SOFTMAX_ROWS];
    double sums[OPMILL_SOFTMAX_ROWS];
} NAME(batch);

static void NAME(add_batch)(const REAL *restrict x, REAL *restrict y, int64_t length, int64_t rows,
                            NAME(batch) *batch) {
    const NAME(range) none = {-INFINITY, INFINITY};
    for (int64_t row = 0; row < rows; row++) {
        batch->ranges[row] = NAME(find)(x + row * length, length, none);
    }
    for (int64_t row = 0; row < rows; row++) {
        NAME(powers)(x + row * length, y + row * length, length, batch->ranges[row]);
    }
    for (int64_t row = 0; row < rows; row++) {
        batch->sums[row] = (double)NAME(sum)(y + row * length, length);
    }
}

static void NAME(softmax_batch)(const ELEMENT *x, ELEMENT *y, int64_t length, int64_t rows) {
    REAL wide[NAME(SPACE)], space[NAME(SPACE)];
    REAL *const powers = WIDENS ? space : (REAL *)(void *)y;
    NAME(batch) batch;
    wide[0] = 0; /* compilers do not see that there is an element */
    (void)wide, (void)space;
    NAME(add_batch)(WIDEN(x, wide, length * rows), powers, length, rows, &batch);
    for (int64_t row = 0; row < rows; row++) {
        const REAL factor = (REAL)(1 / batch.sums[row]);
        for (int64_t i = 0; i < length; i++) {
            powers[row * length + i] *= factor;
        }
    }
    NARROW(powers, y, length * rows);
}

static void NAME(log_softmax_batch)(const ELEMENT *x, ELEMENT *y, int64_t length, int64_t rows) {
    REAL wide[NAME(SPACE)], space[OPMILL_SOFTMAX_BATCH];
    REAL *restrict const to = WIDENS ? space : (REAL *)(void *)y;
    NAME(batch) batch;
    wide[0] = 0;
    (void)wide;
    const REAL *const from = WIDEN(x, wide, length * rows);
    NAME(add_batch)(from, space, length, rows, &batch);
    for (int64_t row = 0; row < rows; row++) {
        const REAL largest = batch.ranges[row].largest;
        const REAL logarithm = (REAL)opmill_log_double(batch.sums[row]);
        for (int64_t i = row * length; i < (row + 1) * length; i++) {
            to[i] = (from[i] - largest) - logarithm;
        }
    }
    NARROW(to, y, length * rows);
}

static NAME(range) NAME(range_of)(const ELEMENT *x, int64_t length,
                                  NAME(range) (*find)(const REAL *, int64_t, NAME(range))) {
    REAL wide[NAME(CHUNK)];
    NAME(range) found = {-INFINITY, INFINITY};
    (void)wide;
    for (int64_t i = 0; i < length; i += OPMILL_LANES_CHUNK) {
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_CHUNK ? left : OPMILL_LANES_CHUNK;
        found = find(WIDEN(x + i, wide, size), size, found);
    }
    return found;
}

/* The sum of the exponentials of a row, of blocks of lanes; they go to `y` if they are elements. */
static double NAME(sum_of_row)(const ELEMENT *x, ELEMENT *y, int64_t length, NAME(range) range) {
    REAL wide[NAME(CHUNK)], space[OPMILL_LANES_CHUNK];
    double sum = 0;
    (void)wide;
    for (int64_t i = 0; i < length; i += OPMILL_LANES_BLOCK) {
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_BLOCK ? left : OPMILL_LANES_BLOCK;
        REAL lanes[OPMILL_LANES] = {0}, block = 0;
        for (int64_t k = 0; k < size; k += OPMILL_LANES_CHUNK) {
            const int64_t rest = size - k;
            const int64_t count = rest < OPMILL_LANES_CHUNK ? rest : OPMILL_LANES_CHUNK;
            REAL *const powers = WIDENS || y == NULL ? space : (REAL *)(void *)(y + i + k);
            NAME(powers)(WIDEN(x + i + k, wide, count), powers, count, range);
            int64_t done = NAME(add_rounds)(powers, count, lanes);
            if (count < rest) {
                continue;
            }
            OPMILL_LANES_JOIN(lanes, SUM);
            for (block = lanes[0]; done < count; done++) {
                block += powers[done];
            }
        }
        sum += (double)block;
    }
    return sum;
}

static void NAME(softmax_row)(const ELEMENT *x, ELEMENT *y, int64_t length) {
    const NAME(range) range = NAME(range_of)(x, length, NAME(find));
    const REAL factor = (REAL)(1 / NAME(sum_of_row)(x, y, length, range));
#if WIDENS
    for (int64_t i = 0; i < length; i += OPMILL_LANES_CHUNK) {
        REAL wide[NAME(CHUNK)], space[NAME(CHUNK)];
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_CHUNK ? left : OPMILL_LANES_CHUNK;
        NAME(powers)(WIDEN(x + i, wide, size), space, size, range);
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

static void NAME(log_softmax_row)(const ELEMENT *restrict x, ELEMENT *restrict y, int64_t length) {
    const NAME(range) range = NAME(range_of)(x, length, NAME(find));
    const REAL logarithm = (REAL)opmill_log_double(NAME(sum_of_row)(x, NULL, length, range));
#if WIDENS
    for (int64_t i = 0; i < length; i += OPMILL_LANES_CHUNK) {
        REAL wide[NAME(CHUNK)], space[NAME(CHUNK)];
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_CHUNK ? left : OPMILL_LANES_CHUNK;
        (void)WIDEN(x + i, wide, size);
        for (int64_t k = 0; k < size; k++) {
            space[k] = (wide[k] - range.largest) - logarithm;
        }
        NARROW(space, y + i, size);
    }
#else
    for (int64_t i = 0; i < length; i++) {
        y[i] = (x[i] - range.largest) - logarithm;
    }
#endif
}

static void NAME(hardmax_row)(const ELEMENT *x, ELEMENT *y, int64_t length) {
    REAL wide[NAME(CHUNK)];
    const REAL largest = NAME(range_of)(x, length, NAME(find_or_nan)).largest;
    (void)wide;
    memset(y, 0, (size_t)length * sizeof *y);
    for (int64_t i = 0; i < length; i += OPMILL_LANES_CHUNK) {
        const int64_t left = length - i;
        const int64_t size = left < OPMILL_LANES_CHUNK ? left : OPMILL_LANES_CHUNK;
        const REAL *const block = WIDEN(x + i, wide, size);
        for (int64_t k = 0; k < size; k++) {
            if (block[k] == largest || block[k] != block[k]) {
                y[i + k] = ONE;
                return;
            }
        }
    }
}

#define DEFINE_ROWS(function)                                                              \
    static void NAME(function##_rows)(const void *from, void *to, int64_t length, int64_t rows) { \
        const ELEMENT *x = from;                                                            \
        ELEMENT *y = to;                                                                    \
        if (length <= OPMILL_SOFTMAX_SHORT) {                                               \
            const int64_t fit = OPMILL_SOFTMAX_BATCH / length;                              \
            const int64_t max_rows = fit < OPMILL_SOFTMAX_ROWS ? fit : OPMILL_SOFTMAX_ROWS;     \
            for (int64_t size; rows > 0; x += size * length, y += size * length, rows -= size) { \
                size = rows < max_rows ? rows : max_rows;                                           \
                NAME(function##_batch)(x, y, length, size);                                 \
            }                                                                               \
        }                                                                                   \
        for (int64_t row = 0; row < rows; row++) {                                          \
            NAME(function##_row)(x + row * length, y + row * length, length);               \
        }                                                                                   \
    }
DEFINE_ROWS(softmax)
DEFINE_ROWS(log_softmax)
#undef DEFINE_ROWS

static void NAME(hardmax_rows)(const void *from, void *to, int64_t length, int64_t rows) {
    for (int64_t row = 0; row < rows; row++) {
        NAME(hardmax_row)((const ELEMENT *)from + row * length, (ELEMENT *)to + row * length,
                          length);
    }
}

#include "runtime/softmax/columns.h"

static const opmill_softmax_loops NAME(loops) = {
    {NAME(hardmax_rows), NAME(log_softmax_rows), NAME(softmax_rows)},
    {NAME(hardmax_columns), NAME(log_softmax_columns), NAME(softmax_columns)},
};

#undef LARGER
#undef LARGER_OR_NAN
#undef SMALLER
#undef SUM
#undef NAME
#undef ELEMENT
#undef REAL
#undef WIDENS
#undef WIDEN
#undef NARROW
#undef EXP_BLOCK
#undef EXP
#undef NEAR
#undef ONE
