/* `count` and `find` for words of one width; scan_sets.h includes this for each.
 *
 * WORD is the unsigned type, PARTS the words of an element, BLOCK how many elements at most one
 * WORD can count, a multiple of 64. */

static inline WORD NAME(part)(const unsigned char *at) {
    WORD word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Not 0 where element k is not zero. */
static inline WORD NAME(bits)(const unsigned char *data, int64_t k, WORD mask) {
    const unsigned char *const at = data + k * PARTS * (int64_t)sizeof(WORD);
#if PARTS == 2
    return (WORD)((NAME(part)(at) | NAME(part)(at + sizeof(WORD))) & mask);
#else
    return (WORD)(NAME(part)(at) & mask);
#endif
}

static int64_t NAME(count)(const void *data, int64_t count, uint64_t all) {
    const WORD mask = (WORD)all;
    const unsigned char *at = data;
    int64_t total = 0;
    for (; count >= BLOCK; count -= BLOCK, at += BLOCK * PARTS * (int64_t)sizeof(WORD)) {
        WORD some = 0;
        for (int64_t k = 0; k < BLOCK; k++) {
            some = (WORD)(some + (NAME(bits)(at, k, mask) != 0));
        }
        total += (int64_t)some;
    }
    for (int64_t k = 0; k < count; k++) {
        total += NAME(bits)(at, k, mask) != 0;
    }
    return total;
}

/* Every index is stored, and the next one over it where the element is zero. Runs of zeros are
 * looked at as a whole. */
static int64_t NAME(find)(const void *data, int64_t count, uint64_t all, int64_t first, int64_t *to,
                          int64_t capacity) {
    enum { RUN = 16 };
    const WORD mask = (WORD)all;
    const unsigned char *const from = data;
    int64_t found = 0, k = 0;
    for (; k + RUN <= count && found + RUN <= capacity; k += RUN) {
        WORD any = 0;
        for (int64_t i = 0; i < RUN; i++) {
            any = (WORD)(any | NAME(bits)(from, k + i, mask));
        }
        if (any == 0) {
            continue;
        }
        for (int64_t i = 0; i < RUN; i++) {
            to[found] = first + k + i;
            found += NAME(bits)(from, k + i, mask) != 0;
        }
    }
    for (; k < count && found < capacity; k++) {
        to[found] = first + k;
        found += NAME(bits)(from, k, mask) != 0;
    }
    return found;
}

#undef NAME
#undef WORD
#undef PARTS
#undef BLOCK
