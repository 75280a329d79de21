/* The functions of the planes kernel, for one type and instruction set.
 *
 * types_body.h includes this behind rows_body.h, whose staging it uses; HIGHEST is the largest
 * value. */

/* All that is kept, as padding, and the limits. */
static void NAME(prepare)(const planes_layout *layout, void *memory) {
    const opmill_window_axis *const axis = &layout->axes.wide;
    REAL *const all = memory;
    for (int64_t i = 0; i < layout->all; i++) {
        all[i] = LOWEST;
    }
    for (int64_t tap = 0; tap < axis->kernel; tap++) {
        REAL *const limits = all + layout->limits + tap * layout->limits_length;
        const int64_t at = tap * axis->dilation - axis->begin;
        for (int64_t i = 0, column = 0; i < layout->limits_length; i++) {
            const int64_t x = column * layout->phases + at;
            limits[i] = x >= 0 && x < axis->in ? HIGHEST : LOWEST;
            column = column + 1 < layout->pitch ? column + 1 : 0;
        }
    }
    if (layout->problem->indices != NULL) {
        for (int i = 0; i < LANES; i++) {
            all[layout->results + i] = (REAL)(i * layout->phases);
        }
    }
}

/* Stages the rows of a band, of which the first begins `at` elements behind that of the first
 * plane. True where all that was read are numbers. */
static inline bool NAME(stage_band)(const planes_layout *layout, const planes_band *band,
                                    int64_t at, REAL *staged) {
    const int32_t type = layout->problem->type;
    const int64_t in = layout->axes.wide.in;
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    const char *const x = band->x + at * bytes;
    const int64_t left = band->left - at;
    REAL *const even = staged + layout->first_row, *const odd = even + layout->phase_length;
    bool numbers = true;
    if (layout->phases == 1) {
        return NAME(stage_run)(even, x, 0, band->rows * in, left, type);
    }
    if (in % 2 == 0) {
        return NAME(stage_pairs)(even, odd, x, 0, band->rows * in, left, type);
    }
    for (int64_t row = 0; row < band->rows; row++) {
        const bool row_numbers =
            NAME(stage_pairs)(even + row * layout->pitch, odd + row * layout->pitch,
                              x + row * in * bytes, 0, in, left - row * in, type);
        numbers = numbers && row_numbers;
    }
    return numbers;
}

/* The largest along the last axis, for `count` windows, those that do not exist at row ends
 * included. */
OPMILL_INLINE void NAME(reduce_band)(const planes_layout *layout, int64_t taps, int64_t count,
                                     const REAL *staged, const REAL *limits, REAL *reduced) {
    const int64_t pitch = layout->pitch;
    const int64_t step = layout->column_step;
    int64_t column = 0;
    for (int64_t i = 0; i < count; i += LANES) {
        VECTOR best = OP(load)(staged + i + layout->tap_at[0]);
        if (layout->is_limited[0]) {
            best = OP(lowered)(best, OP(load)(limits + column));
        }
        for (int64_t tap = 1; tap < taps; tap++) {
            VECTOR value = OP(load)(staged + i + layout->tap_at[tap]);
            if (layout->is_limited[tap]) {
                value = OP(lowered)(value, OP(load)(limits + tap * layout->limits_length + column));
            }
            best = OP(raised)(value, best);
        }
        OP(store)(reduced + i, best);
        column += step;
        column -= column >= pitch ? pitch : 0;
    }
}

/* The largest of rows that are `step` apart, for `count` windows side by side, `capacity` elements
 * at most being written. */
OPMILL_INLINE void NAME(compare_rows)(const REAL *reduced, int64_t rows, int64_t step,
                                      int64_t count, char *y, int64_t capacity, int32_t type) {
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    for (int64_t i = 0; i < count; i += LANES) {
        VECTOR best = OP(load)(reduced + i);
        for (int64_t row = 1; row < rows; row++) {
            best = OP(raised)(OP(load)(reduced + i + row * step), best);
        }
        if (i + LANES <= capacity) {
            NAME(narrow)(y + i * bytes, best, type);
        } else {
            REAL whole[LANES];
            NAME(narrow)((char *)whole, best, type);
            memcpy(y + i * bytes, whole, (size_t)((count - i) * bytes));
        }
    }
}

/* Every so many elements of a row, `count` of them; `capacity` as above. */
static inline void NAME(pick)(const REAL *row, int64_t every, int64_t count, char *y,
                              int64_t capacity, int32_t type) {
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    for (int64_t i = 0; i < count; i += LANES) {
        const int64_t now = opmill_min(LANES, count - i);
        REAL picked[LANES] = {0}, whole[LANES];
        for (int64_t k = 0; k < now; k++) {
            picked[k] = row[(i + k) * every];
        }
        if (i + LANES <= capacity) {
            NAME(narrow)(y + i * bytes, OP(load)(picked), type);
        } else {
            NAME(narrow)((char *)whole, OP(load)(picked), type);
            memcpy(y + i * bytes, whole, (size_t)(now * bytes));
        }
    }
}

OPMILL_INLINE void NAME(compare_band)(const planes_layout *layout, int64_t rows,
                                      const REAL *reduced, int64_t count, REAL *between, char *y,
                                      int64_t capacity, int32_t type) {
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    const int64_t step = layout->axes.high.dilation * layout->pitch;
    const int64_t out = layout->axes.wide.out;
    if (layout->axes.high.stride == 1 && out == layout->pitch) {
        NAME(compare_rows)(reduced, rows, step, count * out, y, capacity, type);
        return;
    }
    for (int64_t row = 0; row < count; row++) {
        const REAL *const from = reduced + row * layout->axes.high.stride * layout->pitch;
        char *const to = y + row * out * bytes;
        const int64_t left = capacity - row * out;
        if (layout->pick == 1) {
            NAME(compare_rows)(from, rows, step, out, to, left, type);
        } else {
            NAME(compare_rows)(from, rows, step, layout->pitch, (char *)between,
                               layout->pitch + LANES, OPMILL_FLOAT);
            NAME(pick)(between, layout->pick, out, to, left, type);
        }
    }
}

/* The reduced rows of a plane, with padding before and after them. */
static inline void NAME(reduce_plane)(const planes_layout *layout, const planes_band *band,
                                      const REAL *staged, const REAL *limits, REAL *padding) {
    const int64_t pitch = layout->pitch, taps = layout->axes.wide.kernel;
    REAL *const reduced = padding + band->above * pitch;
    NAME(pad)(padding, 0, band->above * pitch);
    switch (taps) { /* the usual ones unrolled */
    case 2:
        NAME(reduce_band)(layout, 2, band->rows * pitch, staged, limits, reduced);
        break;
    case 3:
        NAME(reduce_band)(layout, 3, band->rows * pitch, staged, limits, reduced);
        break;
    default:
        NAME(reduce_band)(layout, taps, band->rows * pitch, staged, limits, reduced);
    }
    NAME(pad)(reduced, band->rows * pitch, (band->rows + band->below) * pitch);
}

#include "planes_strips_body.h"

static bool NAME(result)(const planes_layout *layout, const planes_band *band, void *memory,
                         void *y, int64_t capacity, int32_t type) {
    if (layout->has_strips) {
        return NAME(strips_result)(layout, band, memory, y, capacity, type);
    }
    const int64_t bytes = HAS_HALF_TYPES && type != OPMILL_FLOAT ? 2 : (int64_t)sizeof(REAL);
    const int64_t in = layout->axes.high.in * layout->axes.wide.in;
    const int64_t out = band->count * layout->axes.wide.out;
    const int64_t staged_length = layout->phase_length * layout->phases;
    const int64_t rows = layout->axes.high.kernel;
    REAL *const staged = memory;
    REAL *const reduced = staged + layout->reduced;
    REAL *const between = staged + layout->picked;
    bool numbers = true;
    for (int64_t k = 0; k < band->group; k++) {
        const bool plane_numbers =
            NAME(stage_band)(layout, band, k * in, staged + k * staged_length);
        numbers = numbers && plane_numbers;
    }
    if (!numbers) {
        return false;
    }
    for (int64_t k = 0; k < band->group; k++) {
        NAME(reduce_plane)(layout, band, staged + k * staged_length, staged + layout->limits,
                           reduced + k * layout->reduced_length);
    }
    for (int64_t k = 0; k < band->group; k++) {
        const REAL *const from = reduced + k * layout->reduced_length;
        char *const to = (char *)y + k * out * bytes;
        const int64_t left = capacity - k * out;
        switch (rows) {
        case 2:
            NAME(compare_band)(layout, 2, from, band->count, between, to, left, type);
            break;
        case 3:
            NAME(compare_band)(layout, 3, from, band->count, between, to, left, type);
            break;
        default:
            NAME(compare_band)(layout, rows, from, band->count, between, to, left, type);
        }
    }
    return true;
}

#if HAS_NAN
#include "planes_indices_body.h"
#endif

const max_pool_functions TABLE = {
    .lanes = LANES,
    .element_bytes = (int64_t)sizeof(REAL),
    .reduce = NAME(reduce),
    .search = NAME(search),
    .combine = NAME(combine),
    .prepare = NAME(prepare),
    .result = NAME(result),
#if HAS_NAN
    .result_with_positions = NAME(result_with_positions),
#else
    .reduce_channels = NAME(reduce_channels),
    .reduce_lanes = NAME(reduce_lanes),
#endif
};
