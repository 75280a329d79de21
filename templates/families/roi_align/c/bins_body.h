/* The loops over a type, TYPE, computed in REAL; LOAD and STORE convert, NAME(x) names them. */

static void NAME(begin)(const roi_region *region) {
    const roi_axis *const columns = &region->columns;
    REAL *const weights = region->weights;
    for (int64_t j = 0; j < columns->bin_count; j++) {
        const roi_bin *const bin = &columns->bins[j];
        for (int64_t i = bin->offset; i < bin->offset + bin->count; i++) {
            weights[i] = (REAL)columns->mean[i];
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
    const REAL *const weights = region->weights;
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

/* The largest product of a pixel and its weights: of pixels that are not negative the largest
 * weights count, of negative ones the smallest. A NaN that has a weight wins. */
static REAL NAME(best)(const roi_region *region, const roi_bin *row, const roi_bin *column,
                       const TYPE *plane) {
    const roi_axis *const rows = &region->rows, *const columns = &region->columns;
    bool found = row->outside || column->outside;
    REAL best = 0;
    for (int64_t i = 0; i < row->count; i++) {
        const int64_t y = row->offset + i;
        const TYPE *const line = plane + (row->first + i) * columns->size + column->first;
        for (int64_t j = 0; rows->high[y] >= 0 && j < column->count; j++) {
            const int64_t x = column->offset + j;
            const REAL pixel = LOAD(line[j]);
            const REAL down = (REAL)(pixel < 0 ? rows->low[y] : rows->high[y]);
            const REAL along = (REAL)(pixel < 0 ? columns->low[x] : columns->high[x]);
            const REAL product = down == 0 || along == 0 ? 0 : pixel * down * along;
            if (columns->high[x] >= 0 && (!found || (!(product <= best) && best == best))) {
                best = product;
                found = true;
            }
        }
    }
    return best;
}

static void NAME(maximum)(const roi_region *region, const void *plane, void *to) {
    const roi_axis *const rows = &region->rows, *const columns = &region->columns;
    TYPE *out = to;
    for (int64_t i = 0; i < rows->bin_count; i++) {
        for (int64_t j = 0; j < columns->bin_count; j++) {
            const roi_bin *const row = &rows->bins[i], *const column = &columns->bins[j];
            const bool any = row->count > 0 && column->count > 0;
            *out++ = STORE(any ? NAME(best)(region, row, column, plane) : (REAL)0);
        }
    }
}

static const roi_functions NAME(functions) = {NAME(begin), NAME(average), NAME(maximum)};

#undef TYPE
#undef REAL
#undef LOAD
#undef STORE
#undef NAME
