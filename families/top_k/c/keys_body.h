/* Conversion of elements of WORD to keys of KEY; keys_sets.h includes this for each pair. */

static void NAME(read_whole)(const void *from, int64_t count, const top_k_keys *keys, void *to) {
    const unsigned char *const bytes = from;
    const WORD flip = (WORD)keys->flip;
    KEY *const out = to;
    for (int64_t i = 0; i < count; i++) {
        WORD bits;
        memcpy(&bits, bytes + i * (int64_t)sizeof bits, sizeof bits);
        out[i] = (KEY)(WORD)(bits ^ flip);
    }
}

static void NAME(read_real)(const void *from, int64_t count, const top_k_keys *keys, void *to) {
    const unsigned char *const bytes = from;
    const WORD flip = (WORD)keys->flip, infinity = (WORD)keys->infinity;
    const WORD all = (WORD) ~(WORD)0, sign = (WORD)(all ^ (all >> 1));
    KEY *const out = to;
    for (int64_t i = 0; i < count; i++) {
        WORD bits;
        memcpy(&bits, bytes + i * (int64_t)sizeof bits, sizeof bits);
        const WORD magnitude = (WORD)(bits & ~sign);
        WORD key = (WORD)((bits & sign) != 0 ? ~bits : bits | sign);
        key = magnitude == 0 ? sign : key;
        key = magnitude > infinity ? all : key;
        out[i] = (KEY)(WORD)(key ^ flip);
    }
}

#undef NAME
#undef WORD
