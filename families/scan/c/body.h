/* The scan of some columns for one element type and instruction set; types.h says what is defined.
 */
static void NAME(scan)(const opmill_scan *scan, int64_t matrix, int64_t first, int64_t count) {
    const int64_t length = scan->length, inner = scan->inner;
    const int64_t begin = matrix * length * inner + first;
    const int64_t end = scan->reverse ? (length - 1) * inner : 0;
    const int64_t step = scan->reverse ? -inner : inner;
    const ELEMENT *x = (const ELEMENT *)scan->x + begin + end;
    ELEMENT *y = (ELEMENT *)scan->y + begin + end;
    if (count == 1) {
        TOTAL total = IDENTITY;
        for (int64_t i = 0; i < length; i++) {
            const TOTAL before = total;
            total = COMBINE(total, TOTAL_OF(x[i * step]));
            y[i * step] = ELEMENT_OF(scan->exclusive ? before : total);
        }
        return;
    }
    TOTAL totals[OPMILL_SCAN_COLUMNS];
    for (int64_t k = 0; k < count; k++) {
        totals[k] = IDENTITY;
    }
    for (int64_t i = 0; i < length; i++) {
        const ELEMENT *const from = x + i * step;
        ELEMENT *const to = y + i * step;
        if (scan->exclusive) {
            for (int64_t k = 0; k < count; k++) {
                to[k] = ELEMENT_OF(totals[k]);
                totals[k] = COMBINE(totals[k], TOTAL_OF(from[k]));
            }
        } else {
            for (int64_t k = 0; k < count; k++) {
                totals[k] = COMBINE(totals[k], TOTAL_OF(from[k]));
                to[k] = ELEMENT_OF(totals[k]);
            }
        }
    }
}

#undef NAME
#undef ELEMENT
#undef TOTAL
#undef TOTAL_OF
#undef ELEMENT_OF
