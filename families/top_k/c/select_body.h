/* Heap and selection for pairs of type PAIR, whose keys are of type KEY; select.c includes this
 * with NAME(name), MAKE(key, index), KEY_OF(pair) and LESS(a, b). */

static void NAME(sift_down)(PAIR *heap, int64_t count, PAIR pair) {
    int64_t at = 0;
    for (int64_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && LESS(heap[child], heap[child + 1]);
        if (!LESS(pair, heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = pair;
}

static void NAME(push)(PAIR *heap, int64_t count, PAIR pair) {
    int64_t at = count;
    while (at > 0 && LESS(heap[(at - 1) / 2], pair)) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = pair;
}

/* A key that equals the root's comes after it, since its index is higher. */
static void NAME(offer)(top_k_heap *heap, const top_k_keys *kind, const KEY *keys, int64_t first,
                        int64_t count) {
    PAIR *const pairs = heap->pairs;
    int64_t i = 0;
    for (; i < count && heap->filled < heap->capacity; i++) {
        NAME(push)(pairs, heap->filled++, MAKE(keys[i], first + i));
    }
    while (i < count) {
        i = kind->skip(keys, i, count, KEY_OF(pairs[0]));
        const int64_t end = opmill_min(i + TOP_K_RUN, count);
        for (; i < end; i++) {
            if (keys[i] < KEY_OF(pairs[0])) {
                NAME(sift_down)(pairs, heap->capacity, MAKE(keys[i], first + i));
            }
        }
    }
}

static void NAME(sort_heap)(top_k_heap *heap) {
    PAIR *const pairs = heap->pairs;
    for (int64_t last = heap->filled - 1; last > 0; last--) {
        const PAIR pair = pairs[last];
        pairs[last] = pairs[0];
        NAME(sift_down)(pairs, last, pair);
    }
}

/* Writes the `wanted` first keys with their indices, in the order of the indices. Digits from the
 * highest on tell between which keys the last one of them lies. */
static void NAME(gather)(const KEY *keys, int64_t count, int64_t wanted, int32_t width,
                         PAIR *pairs) {
    KEY low = 0, span = 0; /* the last one is from `low` to `low + span` */
    int64_t left = wanted; /* of those to take */
    bool is_found = wanted == count;
    if (is_found) {
        span = (KEY) ~(KEY)0;
    }
    for (int32_t shift = width - DIGIT; shift >= 0 && !is_found; shift -= DIGIT) {
        int64_t counts[DIGITS] = {0}, digit = 0;
        const bool is_first = shift + DIGIT == width;
        const KEY high = (KEY)(low >> shift >> (DIGIT - 1) >> 1);
        for (int64_t i = 0; i < count; i++) {
            const bool counted = is_first || (KEY)(keys[i] >> shift >> (DIGIT - 1) >> 1) == high;
            counts[keys[i] >> shift & (DIGITS - 1)] += counted;
        }
        while (left > counts[digit]) {
            left -= counts[digit++];
        }
        low |= (KEY)((KEY)digit << shift);
        span = (KEY)(((KEY)1 << shift) - 1);
        is_found = left == counts[digit];
    }
    int64_t taken = 0;
    for (int64_t i = 0; i < count && taken < wanted; i++) {
        const bool is_last = (KEY)(keys[i] - low) <= span;
        const bool is_in = keys[i] < low || (is_last && left > 0);
        pairs[taken] = MAKE(keys[i], i);
        taken += is_in;
        left -= is_last;
    }
}

static void NAME(insert_each)(PAIR *pairs, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        const PAIR pair = pairs[i];
        int64_t at = i;
        for (; at > 0 && LESS(pair, pairs[at - 1]); at--) {
            pairs[at] = pairs[at - 1];
        }
        pairs[at] = pair;
    }
}

/* Stable, from the lowest digit to the highest; digits that all keys share are skipped. */
static PAIR *NAME(sort)(PAIR *from, PAIR *to, int64_t count, int32_t width) {
    int64_t counts[8 * sizeof(KEY) / DIGIT][DIGITS] = {{0}};
    if (count <= MAX_INSERTION) {
        NAME(insert_each)(from, count);
        return from;
    }
    for (int64_t i = 0; i < count; i++) {
        const KEY key = KEY_OF(from[i]);
        for (int32_t k = 0; k < width / DIGIT; k++) {
            counts[k][key >> k * DIGIT & (DIGITS - 1)]++;
        }
    }
    for (int32_t k = 0; k < width / DIGIT; k++) {
        int64_t *const at = counts[k];
        if (at[KEY_OF(from[0]) >> k * DIGIT & (DIGITS - 1)] == count) {
            continue;
        }
        for (int64_t digit = 0, start = 0; digit < DIGITS; digit++) {
            const int64_t here = at[digit];
            at[digit] = start;
            start += here;
        }
        for (int64_t i = 0; i < count; i++) {
            to[at[KEY_OF(from[i]) >> k * DIGIT & (DIGITS - 1)]++] = from[i];
        }
        PAIR *const sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

#undef NAME
#undef PAIR
#undef KEY
#undef MAKE
#undef KEY_OF
#undef LESS
