/* The loops over a type, TYPE, computed in REAL; LOAD and STORE convert, NAME(x) names them. */

static void NAME(begin)(const roi_region *region) {
    const roi_axis *const columns = &region->columns;
    REAL *const mean = region->mean, *const low = region->low, *const high = region->high;
    for (int64_t j = 0; j < columns->bin_count; j++) {
        const roi_bin *const bin = &columns->bins[j];
        for (int64_t i = bin->offset; i < bin->offset + bin->count; i++) {
            mean[i] = (REAL)columns->mean[i];
            low[i] = (REAL)columns->low[i];
            high[i] = (REAL)columns->high[i];
        }
    }
}

static inline void NAME(first)(const TYPE *restrict from, REAL w, REAL *restrict to,
                               int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = LOAD(from[i]) * w;
    }
}

static inline void NAME(add)(const TYPE *restrict from, REAL w, REAL *restrict to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] += LOAD(from[i]) * w;
    }
}

/* The weighted sum of the rows of a bin; false where none has a weight. */
static bool NAME(rows)(const roi_region *region, const roi_bin *bin, const TYPE *plane, REAL *to) {
    const roi_axis *const columns = &region->columns;
    const int64_t count = columns->end - columns->begin;
    bool found = false;
    for (int64_t k = 0; k < bin->count; k++) {
        const TYPE *const row = plane + (bin->first + k) * columns->size + columns->begin;
        const REAL weight = (REAL)region->rows.mean[bin->offset + k];
        if (weight == 0) { /* not looked at: it may hold a NaN */
            continue;
        }
        if (found) {
            NAME(add)(row, weight, to, count);
        } else {
            NAME(first)(row, weight, to, count);
        }
        found = true;
    }
    return found;
}

static void NAME(average)(const roi_region *region, const void *plane, void *to) {
    const roi_axis *const columns = &region->columns;
    REAL *const line = region->line;
    const REAL *const weights = region->mean;
    TYPE *out = to;
    for (int64_t i = 0; i < region->rows.bin_count; i++, out += columns->bin_count) {
        const bool found =
            columns->begin < columns->end && NAME(rows)(region, &region->rows.bins[i], plane, line);
        for (int64_t j = 0; j < columns->bin_count; j++) {
            const roi_bin *const bin = &columns->bins[j];
            REAL sum = 0;
            for (int64_t k = 0; found && k < bin->count; k++) {
                const REAL weight = weights[bin->offset + k];
                sum += weight != 0 ? line[bin->first - columns->begin + k] * weight : 0;
            }
            out[j] = STORE(sum);
        }
    }
}

/* The largest number; NaN wins. */
static inline REAL NAME(larger)(REAL x, REAL best) {
    return ((x > best) | (x != x)) ? x : best; /* `||` would be a branch */
}

/* A number times a weight from low to high, whichever gives more: with the lowest where it is
 * negative. A weight of 0 gives 0. */
static inline REAL NAME(more)(REAL x, REAL low, REAL high) {
    const REAL a = x * low, b = x * high;
    return NAME(larger)(low == 0 ? 0 : a, high == 0 ? 0 : b);
}

static inline void NAME(raise)(const TYPE *restrict from, REAL low, REAL high, REAL *restrict to,
                               int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = NAME(larger)(NAME(more)(LOAD(from[i]), low, high), to[i]);
    }
}

/* The largest weighted pixels of the rows of a bin. */
static void NAME(largest_rows)(const roi_region *region, const roi_bin *bin, const TYPE *plane,
                               REAL *to) {
    const roi_axis *const columns = &region->columns;
    const int64_t count = columns->end - columns->begin;
    for (int64_t i = 0; i < count; i++) {
        to[i] = -(REAL)INFINITY;
    }
    for (int64_t k = 0; k < bin->count; k++) {
        const double low = region->rows.low[bin->offset + k];
        const double high = region->rows.high[bin->offset + k];
        if (high >= 0) {
            const TYPE *const row = plane + (bin->first + k) * columns->size + columns->begin;
            NAME(raise)(row, (REAL)low, (REAL)high, to, count);
        }
    }
}

/* Of pixels that are not negative the largest weights count, of negative ones the smallest: so do
 * those of the largest product of a column. */
static void NAME(maximum)(const roi_region *region, const void *plane, void *to) {
    const roi_axis *const rows = &region->rows, *const columns = &region->columns;
    const REAL *const low = region->low, *const high = region->high;
    REAL *const line = region->line;
    TYPE *out = to;
    for (int64_t i = 0; i < rows->bin_count; i++) {
        const roi_bin *const row = &rows->bins[i];
        if (row->count > 0 && columns->begin < columns->end) {
            NAME(largest_rows)(region, row, plane, line);
        }
        for (int64_t j = 0; j < columns->bin_count; j++) {
            const roi_bin *const bin = &columns->bins[j];
            const int64_t count = row->count > 0 ? bin->count : 0;
            REAL best = count == 0 || row->outside || bin->outside ? 0 : -(REAL)INFINITY;
            for (int64_t k = 0; k < count; k++) {
                const REAL x = line[bin->first - columns->begin + k];
                if (high[bin->offset + k] >= 0) {
                    best = NAME(larger)(NAME(more)(x, low[bin->offset + k], high[bin->offset + k]),
                                        best);
                }
            }
            *out++ = STORE(best);
        }
    }
}

static const roi_functions NAME(functions) = {NAME(begin), NAME(average), NAME(maximum)};

#undef TYPE
#undef REAL
#undef LOAD
#undef STORE
#undef NAME
