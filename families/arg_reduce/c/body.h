/* The search for one element type and instruction set; types.h says what is defined. */
#if HAS_NAN
#define IS_NAN(value) ((value) != (value))
#define FLAG NAN_FLAG
#else
#define FLAG unsigned char
#define IS_NAN(value) 0
#endif
enum { NAME(SPACE) = WIDENS ? OPMILL_ARG_BLOCK : 1, NAME(LANES) = OPMILL_LANES };
#define BETTER_OF(a, b) (BETTER(b, a) ? (b) : (a))
#define EITHER(a, b) ((a) | (b))

/* The best of a block, NaNs passed over; whether there is a NaN. */
static VALUE NAME(best_of)(const VALUE *x, int64_t count, bool *nan) {
    VALUE lanes[NAME(LANES)], best = WORST(LOWEST, HIGHEST);
    *nan = false;
    if (count < NAME(LANES)) {
        for (int64_t i = 0; i < count; i++) {
            best = BETTER(x[i], best) ? x[i] : best;
            *nan = *nan || IS_NAN(x[i]);
        }
        return best;
    }
    for (int k = 0; k < NAME(LANES); k++) {
        lanes[k] = best;
    }
    FLAG nans[NAME(LANES)] = {0}; /* as wide as values: compilers keep both in vectors */
    for (int64_t i = 0; i < count; i += NAME(LANES)) {
        /* The last lanes end with the block: some elements are compared twice. */
        const VALUE *const part = x + opmill_min(i, count - NAME(LANES));
        for (int k = 0; k < NAME(LANES); k++) {
            lanes[k] = BETTER(part[k], lanes[k]) ? part[k] : lanes[k];
        }
#if HAS_NAN
        for (int k = 0; k < NAME(LANES); k++) {
            nans[k] |= IS_NAN(part[k]) ? -1 : 0;
        }
#endif
    }
    OPMILL_LANES_JOIN(lanes, BETTER_OF);
#if HAS_NAN
    OPMILL_LANES_JOIN(nans, EITHER);
#endif
    *nan = nans[0] != 0;
    return lanes[0];
}

/* Where a value, or a NaN, is in a block that has it. */
static int64_t NAME(position_of)(const VALUE *x, int64_t count, VALUE value, bool nan, bool last) {
    enum { PART = NAME(LANES) };
    int64_t from = 0;
    for (; !nan && !last && from + PART < count; from += PART) { /* the parts that lack it */
        FLAG found[PART], any = 0;
        for (int k = 0; k < PART; k++) {
            found[k] = x[from + k] == value ? 1 : 0;
        }
        for (int k = 0; k < PART; k++) {
            any = (FLAG)(any | found[k]);
        }
        if (any) {
            break;
        }
    }
    for (int64_t i = from; i < count; i++) {
        const int64_t at = last ? count - 1 - i : i;
        if (nan ? IS_NAN(x[at]) : x[at] == value) {
            return at;
        }
    }
    return 0;
}

/* Adjacent elements: the block that has the best one, then its place in the block. */
static int64_t NAME(search_row)(const ELEMENT *row, int64_t length, bool last) {
    VALUE space[NAME(SPACE)], best = WORST(LOWEST, HIGHEST);
    bool found_nan = false;
    int64_t block = 0;
    (void)space;
    for (int64_t i = 0; i < length; i += OPMILL_ARG_BLOCK) {
        const int64_t count = opmill_min(length - i, OPMILL_ARG_BLOCK);
        const VALUE *const x = WIDEN(row + i, space, count);
        bool nan;
        const VALUE value = NAME(best_of)(x, count, &nan);
        const bool as_good = last ? !BETTER(best, value) : BETTER(value, best);
        if (found_nan ? nan && last : nan || as_good) {
            best = value;
            block = i;
            found_nan = nan;
        }
        if (found_nan && !last) {
            break;
        }
    }
    const int64_t count = opmill_min(length - block, OPMILL_ARG_BLOCK);
    return block +
           NAME(position_of)(WIDEN(row + block, space, count), count, best, found_nan, last);
}

/* Neighbouring columns, at most a block of them. */
static void NAME(search_columns)(const ELEMENT *from, int64_t length, int64_t step, int64_t count,
                                 bool last, int64_t *found) {
    VALUE space[NAME(SPACE)], best[OPMILL_ARG_BLOCK];
    (void)space;
    const VALUE *const first = WIDEN(from, space, count);
    for (int64_t k = 0; k < count; k++) {
        best[k] = first[k];
        found[k] = 0;
    }
    for (int64_t i = 1; i < length; i++) {
        const VALUE *const x = WIDEN(from + i * step, space, count);
        if (last) {
            for (int64_t k = 0; k < count; k++) {
                const bool taken = IS_NAN(x[k]) | (!BETTER(best[k], x[k]) & !IS_NAN(best[k]));
                best[k] = taken ? x[k] : best[k];
                found[k] = taken ? i : found[k];
            }
        } else {
            for (int64_t k = 0; k < count; k++) {
                const bool taken = BETTER(x[k], best[k]) | (IS_NAN(x[k]) & !IS_NAN(best[k]));
                best[k] = taken ? x[k] : best[k];
                found[k] = taken ? i : found[k];
            }
        }
    }
}

static void NAME(search)(const opmill_arg_search *search, int64_t first, int64_t count) {
    const ELEMENT *const data = search->data;
    const int64_t inner = search->inner, length = search->length;
    if (inner == 1) {
        for (int64_t i = first; i < first + count; i++) {
            search->found[i] = NAME(search_row)(data + i * length, length, search->last);
        }
        return;
    }
    const int64_t matrix = first / inner, column = first % inner;
    for (int64_t k = 0; k < count; k += OPMILL_ARG_BLOCK) {
        NAME(search_columns)(data + matrix * length * inner + column + k, length, inner,
                             opmill_min(count - k, OPMILL_ARG_BLOCK), search->last,
                             search->found + first + k);
    }
}

#undef IS_NAN
#undef FLAG
#undef BETTER_OF
#undef EITHER
#undef NAME
#undef WIDEN
