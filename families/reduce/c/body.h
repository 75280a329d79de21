/* The loops for one kind of elements and instruction set; kinds.h includes this.
 *
 * ELEMENT is what memory holds, SOURCE what is computed with, PART what a block is combined in,
 * WHOLE what blocks are combined in, MEMBER its member of a total. WIDEN(from, space, count) gives
 * elements as sources, in a space if WIDENS. MAP(x) makes a part of a
 * source, COMBINE(a, b) combines parts, IDENTITY is the part of no elements, WHOLE_OF(part) makes a
 * whole of a part, JOIN(a, b) combines wholes. COMBINE_NUMBERS(a, b), where it is defined, does the
 * same of numbers, faster. LANE_COUNT, 32 or 64, is that of the operation: more where COMBINE takes
 * long. OVERFLOWS is defined where a part may be infinite although the whole is not: the elements
 * of a part that is infinite or NaN are then combined again, as wholes. */
#define BUFFERS (WIDENS || EXPONENTIALS)
#ifdef OPMILL_STANDARD_C
#define CHUNKS BUFFERS
#else
#define CHUNKS 0
#endif
enum {
    NAME(LANES) = LANE_COUNT,
    NAME(SPACE) = BUFFERS ? OPMILL_REDUCE_COLUMNS : 1,
    NAME(CHUNK) = BUFFERS ? OPMILL_REDUCE_CHUNK : 1
};

#if EXPONENTIALS
/* The exponentials of elements, each less its shift: those of a row have one shift, those of
 * columns (`step` is 1) one each. */
static const SOURCE *NAME(fetch)(const opmill_reduce_walk *walk, const ELEMENT *from, SOURCE *space,
                                 int64_t count, const SOURCE *shifts, int64_t step) {
    SOURCE less[OPMILL_REDUCE_CHUNK];
    const SOURCE *const x = WIDEN(from, space, count);
    if (count < 1) {
        return space;
    }
    if (step == 0) {
        const SOURCE shift = shifts[0];
        for (int64_t i = 0; i < count; i++) {
            less[i] = x[i] - shift;
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            less[i] = x[i] - shifts[i];
        }
    }
    walk->exp(less, space, count);
    return space;
}
#define FETCH(from, count, step) NAME(fetch)(walk, from, space, count, shifts, step)
#define SHIFTS(which, i) ((which)->SHIFT + (i))
#else
#define FETCH(from, count, step) ((void)walk, (void)shifts, (void)space, WIDEN(from, space, count))
#define SHIFTS(which, i) ((void)(which), (const SOURCE *)NULL)
#endif

static void NAME(none)(opmill_reduce_totals *totals, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        totals->MEMBER[i] = WHOLE_OF(IDENTITY);
    }
}

#if !CHUNKS
/* Up to a block of adjacent elements: lanes first, then pairs of lanes. */
#define DEFINE_COMBINED(name, COMBINE)                                              \
    static PART NAME(name)(const SOURCE *x, int64_t count) {                        \
        PART lanes[NAME(LANES)], rest = IDENTITY;                                   \
        int64_t i = 0;                                                              \
        if (count < NAME(LANES)) {                                                  \
            for (; i < count; i++) {                                                \
                rest = COMBINE(rest, MAP(x[i]));                                    \
            }                                                                       \
            return rest;                                                            \
        }                                                                           \
        for (int64_t k = 0; k < NAME(LANES); k++) {                                 \
            lanes[k] = IDENTITY;                                                    \
        }                                                                           \
        for (; i + NAME(LANES) <= count; i += NAME(LANES)) {                        \
            for (int64_t k = 0; k < NAME(LANES); k++) {                             \
                lanes[k] = COMBINE(lanes[k], MAP(x[i + k]));                        \
            }                                                                       \
        }                                                                           \
        for (; i < count; i++) {                                                    \
            rest = COMBINE(rest, MAP(x[i]));                                        \
        }                                                                           \
        OPMILL_LANES_VECTORS                                                        \
        for (int64_t k = 0; k < NAME(LANES) - 32; k++) {                            \
            lanes[k] = COMBINE(lanes[k], lanes[k + 32]);                            \
        }                                                                           \
        OPMILL_LANES_JOIN(lanes, COMBINE);                                          \
        return COMBINE(lanes[0], rest);                                             \
    }
DEFINE_COMBINED(combined, COMBINE)
#ifdef COMBINE_NUMBERS
/* The same where no element is NaN; `numbers` is true then. Sums beside the lanes become NaN where
 * an element is; infinities of both signs make them NaN too. */
#define ADD(a, b) ((a) + (b))
static PART NAME(combined_numbers)(const SOURCE *x, int64_t count, bool *numbers) {
    PART lanes[NAME(LANES)], rest = IDENTITY;
    SOURCE sums[32], others = 0;
    int64_t i = 0;
    if (count >= NAME(LANES)) {
        for (int64_t k = 0; k < NAME(LANES); k++) {
            lanes[k] = IDENTITY;
        }
        for (int64_t k = 0; k < 32; k++) {
            sums[k] = 0;
        }
        for (; i + NAME(LANES) <= count; i += NAME(LANES)) {
            for (int64_t k = 0; k < NAME(LANES); k++) {
                lanes[k] = COMBINE_NUMBERS(lanes[k], MAP(x[i + k]));
            }
            for (int64_t k = 0; k < 32; k++) {
                sums[k] += x[i + k] + x[i + k + NAME(LANES) - 32];
            }
        }
        for (int64_t k = 0; k < NAME(LANES) - 32; k++) {
            lanes[k] = COMBINE_NUMBERS(lanes[k], lanes[k + 32]);
        }
        OPMILL_LANES_JOIN(lanes, COMBINE_NUMBERS);
        OPMILL_LANES_JOIN(sums, ADD);
        others = sums[0];
        rest = lanes[0];
    }
    PART last = IDENTITY;
    for (; i < count; i++) {
        last = COMBINE_NUMBERS(last, MAP(x[i]));
        others += x[i];
    }
    *numbers = others == others;
    return COMBINE_NUMBERS(rest, last);
}
#undef ADD
#endif
#undef DEFINE_COMBINED
#endif

#if CHUNKS
/* Up to a block of adjacent elements, in chunks: lanes first, then pairs of lanes. */
static WHOLE NAME(block)(const opmill_reduce_walk *walk, const ELEMENT *from, int64_t count,
                         const SOURCE *shifts) {
    SOURCE space[NAME(CHUNK)];
    PART lanes[NAME(LANES)], rest = IDENTITY;
    for (int64_t k = 0; k < NAME(LANES); k++) {
        lanes[k] = IDENTITY;
    }
    for (int64_t begin = 0; begin < count; begin += NAME(CHUNK)) {
        const int64_t left = count - begin, size = left < NAME(CHUNK) ? left : NAME(CHUNK);
        const SOURCE *const x = FETCH(from + begin, size, 0);
        int64_t i = 0;
        for (; i + NAME(LANES) <= size; i += NAME(LANES)) {
            for (int64_t k = 0; k < NAME(LANES); k++) {
                lanes[k] = COMBINE(lanes[k], MAP(x[i + k]));
            }
        }
        for (; i < size; i++) {
            rest = COMBINE(rest, MAP(x[i]));
        }
    }
    if (count >= NAME(LANES)) {
        for (int64_t k = 0; k < NAME(LANES) - 32; k++) {
            lanes[k] = COMBINE(lanes[k], lanes[k + 32]);
        }
        OPMILL_LANES_JOIN(lanes, COMBINE);
        rest = COMBINE(lanes[0], rest);
    }
#ifdef OVERFLOWS
    if (!isfinite(rest)) {
        WHOLE whole = WHOLE_OF(IDENTITY);
        for (int64_t begin = 0; begin < count; begin += NAME(CHUNK)) {
            const int64_t left = count - begin, size = left < NAME(CHUNK) ? left : NAME(CHUNK);
            const SOURCE *const x = FETCH(from + begin, size, 0);
            for (int64_t i = 0; i < size; i++) {
                whole = JOIN(whole, WHOLE_OF(MAP(x[i])));
            }
        }
        return whole;
    }
#endif
    return WHOLE_OF(rest);
}
#else
static WHOLE NAME(block)(const opmill_reduce_walk *walk, const ELEMENT *from, int64_t count,
                         const SOURCE *shifts) {
    SOURCE space[NAME(CHUNK)];
    const SOURCE *const x = FETCH(from, count, 0);
#ifdef COMBINE_NUMBERS
    bool numbers;
    const PART number = NAME(combined_numbers)(x, count, &numbers);
    if (numbers) {
        return WHOLE_OF(number);
    }
#endif
    const PART part = NAME(combined)(x, count);
#ifdef OVERFLOWS
    if (!isfinite(part)) {
        WHOLE whole = WHOLE_OF(IDENTITY);
        for (int64_t i = 0; i < count; i++) {
            whole = JOIN(whole, WHOLE_OF(MAP(x[i])));
        }
        return whole;
    }
#endif
    return WHOLE_OF(part);
}
#endif

static WHOLE NAME(run)(const opmill_reduce_walk *walk, const ELEMENT *from, int64_t count,
                       const SOURCE *shifts) {
    WHOLE total = WHOLE_OF(IDENTITY);
    for (int64_t i = 0; i < count; i += OPMILL_REDUCE_BLOCK) {
        const int64_t left = count - i;
        const int64_t size = left < OPMILL_REDUCE_BLOCK ? left : OPMILL_REDUCE_BLOCK;
        const WHOLE block = NAME(block)(walk, from + i, size, shifts);
        total = JOIN(total, block);
    }
    return total;
}

static void NAME(part)(const opmill_reduce_walk *walk, int64_t share,
                       const opmill_reduce_shifts *shifts) {
    const int64_t from = share * walk->share, left = walk->length - from;
    walk->parts[share - walk->part].MEMBER =
        NAME(run)(walk, (const ELEMENT *)walk->data + from, left < walk->share ? left : walk->share,
                  SHIFTS(shifts, 0));
}

static void NAME(join)(const opmill_reduce_walk *walk, int64_t count,
                       opmill_reduce_totals *totals) {
    WHOLE total = walk->part == 0 ? WHOLE_OF(IDENTITY) : totals->MEMBER[0];
    for (int64_t i = 0; i < count; i++) {
        total = JOIN(total, walk->parts[i].MEMBER);
    }
    totals->MEMBER[0] = total;
}

static void NAME(rows)(const opmill_reduce_walk *walk, int64_t first, int64_t count,
                       const opmill_reduce_shifts *shifts, opmill_reduce_totals *totals) {
    opmill_reduce_position row = opmill_reduce_begin(&walk->remaining, first);
    for (int64_t k = 0; k < count; k++) {
        const ELEMENT *const data = (const ELEMENT *)walk->data + row.offset;
        WHOLE total = NAME(run)(walk, data, walk->length, SHIFTS(shifts, k));
        if (walk->gone.size > 1) {
            opmill_reduce_position run = opmill_reduce_begin(&walk->gone, 0);
            for (int64_t i = 1; i < walk->gone.size; i++) {
                opmill_reduce_step(&walk->gone, &run);
                const WHOLE next =
                    NAME(run)(walk, data + run.offset, walk->length, SHIFTS(shifts, k));
                total = JOIN(total, next);
            }
        }
        totals->MEMBER[k] = total;
        opmill_reduce_step(&walk->remaining, &row);
    }
}

#ifdef OVERFLOWS
/* Replaces the sums of `rows` rows that are infinite or NaN: adds their elements to the totals, and
 * leaves the sum of none. */
static void NAME(add_again)(const opmill_reduce_walk *walk, const ELEMENT *data, int64_t width,
                            opmill_reduce_position row, int64_t rows, PART *sums,
                            opmill_reduce_totals *totals) {
    const SOURCE *const shifts = NULL;
    SOURCE space[NAME(SPACE)];
    bool finite = true;
    for (int64_t k = 0; k < width; k++) {
        finite = finite && isfinite(sums[k]);
    }
    if (finite) {
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        const SOURCE *const x = FETCH(data + row.offset, width, 1);
        for (int64_t k = 0; k < width; k++) {
            if (!isfinite(sums[k])) {
                totals->MEMBER[k] = JOIN(totals->MEMBER[k], WHOLE_OF(MAP(x[k])));
            }
        }
        opmill_reduce_step(&walk->gone, &row);
    }
    for (int64_t k = 0; k < width; k++) {
        sums[k] = isfinite(sums[k]) ? sums[k] : IDENTITY;
    }
}
#endif

/* Combines whole rows of elements, a few of them before they go to the totals. */
static void NAME(add_rows)(const opmill_reduce_walk *walk, const ELEMENT *data, int64_t width,
                           const SOURCE *shifts, opmill_reduce_totals *totals) {
    SOURCE space[NAME(SPACE)];
    PART sums[OPMILL_REDUCE_COLUMNS];
    opmill_reduce_position row = opmill_reduce_begin(&walk->gone, 0);
    NAME(none)(totals, width);
    for (int64_t i = 0; i < walk->gone.size;) {
        const int64_t left = walk->gone.size - i;
        const int64_t end = i + (left < OPMILL_REDUCE_ROWS ? left : OPMILL_REDUCE_ROWS);
#ifdef OVERFLOWS
        const opmill_reduce_position start = row;
        const int64_t rows = end - i;
#endif
        for (int64_t k = 0; k < width; k++) {
            sums[k] = IDENTITY;
        }
        for (; i < end; i++) {
            const SOURCE *const x = FETCH(data + row.offset, width, 1);
            for (int64_t k = 0; k < width; k++) {
                sums[k] = COMBINE(sums[k], MAP(x[k]));
            }
            opmill_reduce_step(&walk->gone, &row);
        }
#ifdef OVERFLOWS
        NAME(add_again)(walk, data, width, start, rows, sums, totals);
#endif
        for (int64_t k = 0; k < width; k++) {
            totals->MEMBER[k] = JOIN(totals->MEMBER[k], WHOLE_OF(sums[k]));
        }
    }
}

/* The columns of `width` results, one after the other of those that are taken for a row. */
static void NAME(unfolded)(const opmill_reduce_walk *walk, const ELEMENT *data, int64_t width,
                           const SOURCE *shifts, opmill_reduce_totals *totals) {
    const int64_t results = walk->length / walk->fold;
    SOURCE space[NAME(SPACE)];
    opmill_reduce_totals part;
    for (int64_t i = 0; i < walk->fold; i++, data += results) {
        opmill_reduce_totals *const to = i == 0 ? totals : &part;
        NAME(add_rows)(walk, data, width, shifts, to);
        if (i * results < walk->rest) {
            const SOURCE *const x = FETCH(data + walk->gone.size * walk->length, width, 1);
            for (int64_t k = 0; k < width; k++) {
                to->MEMBER[k] = JOIN(to->MEMBER[k], WHOLE_OF(MAP(x[k])));
            }
        }
        for (int64_t k = 0; i > 0 && k < width; k++) {
            totals->MEMBER[k] = JOIN(totals->MEMBER[k], part.MEMBER[k]);
        }
    }
}

static void NAME(columns)(const opmill_reduce_walk *walk, int64_t offset, int64_t width,
                          const opmill_reduce_shifts *given, opmill_reduce_totals *totals) {
    const ELEMENT *const data = (const ELEMENT *)walk->data + offset;
    const int64_t results = walk->length / walk->fold;
    const SOURCE *shifts = SHIFTS(given, 0);
    if (OPMILL_REDUCE_UNFOLDS && walk->fold > 1) {
        NAME(unfolded)(walk, data, width, shifts, totals);
        return;
    }
    SOURCE space[NAME(SPACE)];
#if EXPONENTIALS
    SOURCE repeated[OPMILL_REDUCE_UNFOLDS ? 1 : OPMILL_REDUCE_FOLD];
    if (walk->fold > 1) {
        for (int64_t k = 0; k < width; k++) {
            repeated[k] = shifts[k % results];
        }
        shifts = repeated;
    }
#endif
    NAME(add_rows)(walk, data, width, shifts, totals);
    if (walk->rest > 0) {
        const SOURCE *const x = FETCH(data + walk->gone.size * walk->length, walk->rest, 1);
        for (int64_t k = 0; k < walk->rest; k++) {
            totals->MEMBER[k] = JOIN(totals->MEMBER[k], WHOLE_OF(MAP(x[k])));
        }
    }
    for (int64_t i = 1; i < walk->fold; i++) {
        for (int64_t k = 0; k < results; k++) {
            totals->MEMBER[k] = JOIN(totals->MEMBER[k], totals->MEMBER[i * results + k]);
        }
    }
}

static const opmill_reduce_loops NAME(loops) = {MEMBER_KIND, NAME(none), NAME(part),
                                                NAME(join),  NAME(rows), NAME(columns)};

#undef NAME
#undef ELEMENT
#undef SOURCE
#undef SHIFT
#undef PART
#undef WHOLE
#undef MEMBER
#undef MEMBER_KIND
#undef WIDEN
#undef WIDENS
#undef MAP
#undef COMBINE
#ifdef COMBINE_NUMBERS
#undef COMBINE_NUMBERS
#endif
#undef IDENTITY
#undef OVERFLOWS
#undef WHOLE_OF
#undef JOIN
#undef FETCH
#undef SHIFTS
#undef BUFFERS
#undef CHUNKS
