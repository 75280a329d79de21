/* The search for one element type and instruction set; types.h says what is defined. */
#if HAS_NAN
#define IS_NAN(value) ((value) != (value))
#else
#define IS_NAN(value) 0
#endif
enum { NAME(SPACE) = WIDENS ? OPMILL_ARG_BLOCK : 1, NAME(LANES) = 32 };

/* The best of a block, NaNs passed over; whether there is a NaN. */
static VALUE NAME(best_of)(const VALUE *x, int64_t count, bool *nan) {
    VALUE lanes[NAME(LANES)], best = WORST(LOWEST, HIGHEST);
    unsigned char nans[NAME(LANES)] = {0};
    int64_t i = 0;
    *nan = false;
    if (count >= NAME(LANES)) {
        for (int k = 0; k < NAME(LANES); k++) {
            lanes[k] = best;
        }
        for (; i + NAME(LANES) <= count; i += NAME(LANES)) {
            for (int k = 0; k < NAME(LANES); k++) {
                lanes[k] = BETTER(x[i + k], lanes[k]) ? x[i + k] : lanes[k];
            }
#if HAS_NAN
            for (int k = 0; k < NAME(LANES); k++) {
                nans[k] = (unsigned char)(nans[k] | IS_NAN(x[i + k]));
            }
#endif
        }
        for (int k = 0; k < NAME(LANES); k++) {
            best = BETTER(lanes[k], best) ? lanes[k] : best;
            *nan = *nan || nans[k];
        }
    }
    for (; i < count; i++) {
        best = BETTER(x[i], best) ? x[i] : best;
        *nan = *nan || IS_NAN(x[i]);
    }
    return best;
}

/* Where a value, or a NaN, is in a block that has it. */
static int64_t NAME(place_of)(const VALUE *x, int64_t count, VALUE value, bool nan, bool last) {
    int64_t place = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = last ? count - 1 - i : i;
        if (nan ? IS_NAN(x[at]) : x[at] == value) {
            place = at;
            break;
        }
    }
    return place;
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
    return block + NAME(place_of)(WIDEN(row + block, space, count), count, best, found_nan, last);
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
#undef NAME
#undef WIDEN
