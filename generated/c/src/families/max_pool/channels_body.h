/* The function of the channels kernel, for one type of 8 bits and one instruction set.
 *
 * types_body.h includes this, with REAL, VECTOR, LANES, OP(operation) and NAME(function). */

/* The largest elements of a vector of channels. */
static inline VECTOR NAME(largest_at)(const void *const *rows, int64_t row_count, int64_t at) {
    VECTOR largest = OP(load)((const REAL *)rows[0] + at);
    for (int64_t k = 1; k < row_count; k++) {
        largest = OP(raised)(OP(load)((const REAL *)rows[k] + at), largest);
    }
    return largest;
}

static void NAME(reduce_channels)(const void *const *rows, int64_t row_count, void *to,
                                  int64_t count) {
    REAL *const out = to;
    int64_t i = 0;
    for (; i + 2 * LANES <= count; i += 2 * LANES) {
        VECTOR low = OP(load)((const REAL *)rows[0] + i);
        VECTOR high = OP(load)((const REAL *)rows[0] + i + LANES);
        for (int64_t k = 1; k < row_count; k++) {
            low = OP(raised)(OP(load)((const REAL *)rows[k] + i), low);
            high = OP(raised)(OP(load)((const REAL *)rows[k] + i + LANES), high);
        }
        OP(store)(out + i, low);
        OP(store)(out + i + LANES, high);
    }
    for (; i + LANES <= count; i += LANES) {
        OP(store)(out + i, NAME(largest_at)(rows, row_count, i));
    }
    if (i < count && count >= LANES) { /* the last vector overlaps the one before, which is equal */
        OP(store)(out + count - LANES, NAME(largest_at)(rows, row_count, count - LANES));
        return;
    }
    for (; i < count; i++) {
        REAL largest = LOWEST;
        for (int64_t k = 0; k < row_count; k++) {
            const REAL element = ((const REAL *)rows[k])[i];
            largest = element > largest ? element : largest;
        }
        out[i] = largest;
    }
}

/* The largest elements of a window, whose elements lie a step apart. */
static inline VECTOR NAME(largest_tap)(const REAL *from, int64_t taps, int64_t tap_step) {
    VECTOR largest = OP(load)(from);
    for (int64_t k = 1; k < taps; k++) {
        largest = OP(raised)(OP(load)(from + k * tap_step), largest);
    }
    return largest;
}

static void NAME(reduce_lanes)(const void *from, int64_t taps, int64_t tap_step, int64_t windows,
                               int64_t step, void *to, int64_t count) {
    const REAL *row = from;
    REAL *out = to, *const end = out + windows * count;
    if (step == count) { /* windows follow each other as channels do */
        count *= windows;
        windows = 1;
    }
    for (int64_t w = 0; w < windows; w++, row += step, out += count) {
        if (count >= LANES || end - out >= LANES) {
            /* What is stored behind a window is stored again by the next ones. */
            int64_t i = 0;
            for (; i + LANES <= count; i += LANES) {
                OP(store)(out + i, NAME(largest_tap)(row + i, taps, tap_step));
            }
            if (i < count) {
                i = count >= LANES ? count - LANES : 0;
                OP(store)(out + i, NAME(largest_tap)(row + i, taps, tap_step));
            }
            continue;
        }
        for (int64_t i = 0; i < count; i++) {
            REAL largest = LOWEST;
            for (int64_t k = 0; k < taps; k++) {
                const REAL element = row[i + k * tap_step];
                largest = element > largest ? element : largest;
            }
            out[i] = largest;
        }
    }
}
