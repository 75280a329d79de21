/* The search of a row, for one type: ELEMENT in memory, compared as VALUE. */
static void SEARCH(const void *x, int64_t row, group *windows) {
    const ELEMENT *const elements = (const ELEMENT *)x + row;
    const int64_t dilation = windows->dilation;
    for (int64_t k = 0; k < windows->count; k++) {
        const opmill_taps taps = windows->taps[k];
        int64_t best = windows->best[k];
        int64_t tap = 0;
        if (taps.count == 0) {
            continue;
        }
        if (best < 0) {
            best = row + taps.first;
            tap = 1;
        }
        VALUE largest = VALUE_OF(((const ELEMENT *)x)[best]);
        for (; tap < taps.count; tap++) {
            const int64_t at = taps.first + tap * dilation;
            const VALUE value = VALUE_OF(elements[at]);
            if (value > largest || (IS_NAN(value) && !IS_NAN(largest))) {
                largest = value;
                best = row + at;
            }
        }
        windows->best[k] = best;
    }
}

#undef ELEMENT
#undef VALUE
#undef VALUE_OF
#undef IS_NAN
#undef SEARCH
