/* The order of single elements, by pairs of a key and a number. order.c includes this with NAME,
 * PAIR, MAKE, KEY_OF and INDEX_OF, for pairs of either size. */

/* The least significant digit first; a digit that all keys share needs no pass. */
static PAIR *NAME(sort)(PAIR *from, PAIR *to, int64_t count, int32_t width) {
    int64_t counts[64 / DIGIT][DIGITS];
    const int32_t digits = width / DIGIT;
    if (count <= SMALL) {
        for (int64_t i = 1; i < count; i++) {
            const PAIR pair = from[i];
            int64_t k = i;
            for (; k > 0 && KEY_OF(from[k - 1]) > KEY_OF(pair); k--) {
                from[k] = from[k - 1];
            }
            from[k] = pair;
        }
        return from;
    }
    memset(counts, 0, (size_t)digits * sizeof counts[0]);
    for (int64_t i = 0; i < count; i++) {
        uint64_t key = KEY_OF(from[i]);
        for (int32_t digit = 0; digit < digits; digit++, key >>= DIGIT) {
            counts[digit][key % DIGITS]++;
        }
    }
    for (int32_t digit = 0; digit < digits; digit++) {
        int64_t *const bucket = counts[digit];
        const int32_t shift = digit * DIGIT;
        int64_t before = 0;
        if (bucket[KEY_OF(from[0]) >> shift & (DIGITS - 1)] == count) {
            continue;
        }
        for (int32_t value = 0; value < DIGITS; value++) {
            const int64_t size = bucket[value];
            bucket[value] = before;
            before += size;
        }
        for (int64_t i = 0; i < count; i++) {
            to[bucket[KEY_OF(from[i]) >> shift & (DIGITS - 1)]++] = from[i];
        }
        PAIR *const other = from;
        from = to;
        to = other;
    }
    return from;
}

/* An entry is not longer than a pair, so that entries may replace the pairs from the front on. */
static void NAME(order)(const unique_items *items, const key_maker *maker, uint64_t *words) {
    PAIR *const pairs = (PAIR *)(void *)words;
    uint64_t before = 0;
    for (int64_t i = 0; i < items->count; i++) {
        pairs[i] = MAKE(item_key(items, maker, i), i);
    }
    const PAIR *const found = NAME(sort)(pairs, pairs + items->count, items->count, maker->width);
    for (int64_t i = 0; i < items->count; i++) {
        const uint64_t key = KEY_OF(found[i]), index = INDEX_OF(found[i]);
        words[i] = index | (i == 0 || key != before ? UNIQUE_STARTS : 0);
        before = key;
    }
}

#undef NAME
#undef PAIR
#undef MAKE
#undef KEY_OF
#undef INDEX_OF
