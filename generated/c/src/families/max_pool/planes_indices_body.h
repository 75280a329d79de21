/* The same with indices, for the types that have NaN: beside each of the largest elements goes the
 * number of its place in the band, as REAL, which is exact. A place is taken where an element is
 * larger than what came before, padding included: bands with minus infinity are left to the search
 * of windows, as are those with NaN. */

/* True if all of a run of X is above the lowest value. */
static inline bool NAME(is_above)(const char *x, int64_t count, int64_t left, int32_t type) {
    VECTOR smallest = OP(repeat)(HIGHEST);
    REAL lanes[LANES];
    bool above = true;
    for (int64_t i = 0; i < count; i += LANES) {
        NAME(rest) rest;
        const char *const read =
            NAME(readable)(x, i, opmill_min(i + LANES, count), LANES, left, type, &rest);
        smallest = OP(lowered)(NAME(widen)(read, 0, type), smallest);
    }
    OP(store)(lanes, smallest);
    for (int i = 0; i < LANES; i++) {
        above = above && lanes[i] > LOWEST;
    }
    return above;
}

/* Along the last axis; `steps` has the place of each element of a vector from its first one on. */
OPMILL_INLINE void NAME(reduce_positions)(const planes_layout *layout, int64_t taps, int64_t count,
                                          const REAL *staged, const REAL *limits, const REAL *steps,
                                          REAL *reduced, REAL *positions) {
    const int64_t pitch = layout->pitch, step = layout->column_step;
    const opmill_window_axis *const axis = &layout->axes.wide;
    const VECTOR zero = OP(load)(steps);
    int64_t column = 0;
    for (int64_t i = 0; i < count; i += LANES) {
        const REAL first = (REAL)(i * layout->phases - axis->begin);
        const VECTOR start = OP(add)(zero, OP(repeat)(first));
        VECTOR best = OP(load)(staged + i + layout->tap_at[0]);
        VECTOR position = start;
        if (layout->is_limited[0]) {
            best = OP(lowered)(best, OP(load)(limits + column));
        }
        for (int64_t tap = 1; tap < taps; tap++) {
            VECTOR value = OP(load)(staged + i + layout->tap_at[tap]);
            if (layout->is_limited[tap]) {
                value = OP(lowered)(value, OP(load)(limits + tap * layout->limits_length + column));
            }
            const MASK larger = OP(greater)(value, best);
            best = OP(select)(larger, value, best);
            position = OP(select)(larger, OP(add)(start, OP(repeat)((REAL)tap)), position);
        }
        OP(store)(reduced + i, best);
        OP(store)(positions + i, position);
        column += step;
        column -= column >= pitch ? pitch : 0;
    }
}

/* Along the axis of rows; places count from element `origin` of X. */
OPMILL_INLINE void NAME(compare_positions)(const REAL *reduced, const REAL *positions, int64_t rows,
                                           int64_t step, int64_t count, char *y, int64_t capacity,
                                           int32_t type, int64_t *indices, int64_t origin) {
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    for (int64_t i = 0; i < count; i += LANES) {
        const int64_t now = opmill_min(LANES, count - i);
        REAL whole[LANES], found[LANES];
        VECTOR best = OP(load)(reduced + i);
        VECTOR position = OP(load)(positions + i);
        for (int64_t row = 1; row < rows; row++) {
            const VECTOR value = OP(load)(reduced + i + row * step);
            const MASK larger = OP(greater)(value, best);
            best = OP(select)(larger, value, best);
            position = OP(select)(larger, OP(load)(positions + i + row * step), position);
        }
        OP(store)(found, position);
        if (i + LANES <= capacity) {
            NAME(narrow)(y + i * bytes, best, type);
        } else {
            NAME(narrow)((char *)whole, best, type);
            memcpy(y + i * bytes, whole, (size_t)(now * bytes));
        }
        if (now == LANES) {
            for (int64_t k = 0; k < LANES; k++) {
                indices[i + k] = (int64_t)found[k] + origin;
            }
        } else {
            for (int64_t k = 0; k < now; k++) {
                indices[i + k] = (int64_t)found[k] + origin;
            }
        }
    }
}

OPMILL_INLINE void NAME(compare_band_positions)(const planes_layout *layout, int64_t rows,
                                                const REAL *reduced, int64_t count, char *y,
                                                int64_t capacity, int64_t *indices,
                                                int64_t origin) {
    const int32_t type = layout->problem->type;
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    const int64_t step = layout->pitch, out = layout->axes.wide.out;
    const int64_t stride = layout->axes.high.stride;
    const bool is_flat = stride == 1 && out == layout->pitch;
    const int64_t runs = is_flat ? 1 : count, length = is_flat ? count * out : out;
    for (int64_t run = 0; run < runs; run++) {
        const REAL *const from = reduced + run * stride * layout->pitch;
        NAME(compare_positions)(from, from + layout->reduced_length, rows, step, length,
                                y + run * out * bytes, capacity - run * out, type,
                                indices + run * out, origin);
    }
}

static bool NAME(result_with_positions)(const planes_layout *layout, const planes_band *band,
                                        void *memory, void *y, int64_t capacity, int64_t *indices) {
    const int32_t type = layout->problem->type;
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    const int64_t in = layout->axes.high.in * layout->axes.wide.in;
    const int64_t out = band->count * layout->axes.wide.out;
    const int64_t pitch = layout->pitch, rows = layout->axes.high.kernel;
    REAL *const staged = memory;
    REAL *const padding = staged + layout->reduced;
    REAL *const reduced = padding + band->above * pitch;
    REAL *const positions = reduced + layout->reduced_length;
    const REAL *const limits = staged + layout->limits, *const steps = staged + layout->results;
    for (int64_t k = 0; k < band->group; k++) {
        char *const to = (char *)y + k * out * bytes;
        if (!NAME(is_above)(band->x + k * in * bytes, band->rows * layout->axes.wide.in,
                            band->left - k * in, type) ||
            !NAME(stage_band)(layout, band, k * in, staged)) {
            return false;
        }
        NAME(pad)(padding, 0, band->above * pitch);
        switch (layout->axes.wide.kernel) { /* the usual ones unrolled */
        case 2:
            NAME(reduce_positions)(layout, 2, band->rows * pitch, staged, limits, steps, reduced,
                                   positions);
            break;
        case 3:
            NAME(reduce_positions)(layout, 3, band->rows * pitch, staged, limits, steps, reduced,
                                   positions);
            break;
        default:
            NAME(reduce_positions)(layout, layout->axes.wide.kernel, band->rows * pitch, staged,
                                   limits, steps, reduced, positions);
        }
        NAME(pad)(reduced, band->rows * pitch, (band->rows + band->below) * pitch);
        switch (rows) {
        case 2:
            NAME(compare_band_positions)(layout, 2, padding, band->count, to, capacity - k * out,
                                         indices + k * out, band->origin + k * in);
            break;
        case 3:
            NAME(compare_band_positions)(layout, 3, padding, band->count, to, capacity - k * out,
                                         indices + k * out, band->origin + k * in);
            break;
        default:
            NAME(compare_band_positions)(layout, rows, padding, band->count, to, capacity - k * out,
                                         indices + k * out, band->origin + k * in);
        }
    }
    return true;
}
