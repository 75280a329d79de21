/* The loops over a type, REAL, for an instruction set; NAME(x) names them. */

/* Where the axis is the last one: each result from adjacent elements, several results at a time. A
 * weight of 0 does not look at its element, which may be a NaN. */
static inline void NAME(taps)(const REAL *restrict row, const int64_t *restrict at,
                              const REAL *restrict weights, int64_t pitch, int64_t taps,
                              REAL *restrict to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const REAL w = weights[i];
        const REAL product = row[at[i]] * w;
        to[i] = w != 0 ? product : 0;
    }
    for (int64_t k = 1; k < taps; k++) {
        const REAL *const column = weights + k * pitch;
        for (int64_t i = 0; i < count; i++) {
            const REAL w = column[i];
            const REAL sum = to[i] + row[at[i] + k] * w;
            to[i] = w != 0 ? sum : to[i];
        }
    }
}

static inline void NAME(two_taps)(const REAL *restrict row, const int64_t *restrict at,
                                  const REAL *restrict w0, const REAL *restrict w1,
                                  REAL *restrict to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const REAL a = row[at[i]] * w0[i], b = row[at[i] + 1] * w1[i];
        const REAL first = w0[i] != 0 ? a : 0;
        to[i] = w1[i] != 0 ? first + b : first;
    }
}

static void NAME(last_axis)(const resize_pass *pass, const REAL *from, REAL *to, int64_t row,
                            int64_t count) {
    const resize_axis *const axis = pass->axis;
    const REAL *const weights = pass->columns;
    for (int64_t r = row; r < row + count; r++) {
        const REAL *const in = from + r * axis->in;
        REAL *const out = to + r * axis->count;
        for (int64_t i = 0; i < axis->count; i += RESIZE_BLOCK) {
            const int64_t left = axis->count - i;
            const int64_t size = left < RESIZE_BLOCK ? left : RESIZE_BLOCK;
            if (axis->taps == 2) {
                NAME(two_taps)(in, axis->at + i, weights + i, weights + axis->count + i, out + i,
                               size);
            } else {
                NAME(taps)(in, axis->at + i, weights + i, axis->count, axis->taps, out + i, size);
            }
        }
    }
}

static inline void NAME(scale)(const REAL *restrict a, REAL w, REAL *restrict to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = a[i] * w;
    }
}

static inline void NAME(add)(const REAL *restrict a, REAL w, REAL *restrict to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] += a[i] * w;
    }
}

static inline void NAME(two)(const REAL *restrict a, const REAL *restrict b, REAL v, REAL w,
                             REAL *restrict to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = a[i] * v + b[i] * w;
    }
}

/* Whole rows inward of the axis, with one weight each. */
static void NAME(rows)(const resize_pass *pass, const void *from, void *to, int64_t row,
                       int64_t count) {
    const resize_axis *const axis = pass->axis;
    const int64_t inner = pass->inner;
    if (inner == 1) {
        NAME(last_axis)(pass, from, to, row, count);
        return;
    }
    for (int64_t r = row; r < row + count; r++) {
        const int64_t outer = r / axis->count, i = r % axis->count;
        const REAL *const in = (const REAL *)from + (outer * axis->in + axis->at[i]) * inner;
        const double *const weights = axis->weights + i * axis->taps;
        REAL *const out = (REAL *)to + r * inner;
        int64_t k = 0;
        while (k < axis->taps - 1 && weights[k] == 0) {
            k++;
        }
        if (k + 1 < axis->taps && weights[k + 1] != 0) {
            NAME(two)(in + k * inner, in + (k + 1) * inner, (REAL)weights[k], (REAL)weights[k + 1],
                      out, inner);
            k++;
        } else {
            NAME(scale)(in + k * inner, (REAL)weights[k], out, inner);
        }
        for (k++; k < axis->taps; k++) {
            if (weights[k] != 0) {
                NAME(add)(in + k * inner, (REAL)weights[k], out, inner);
            }
        }
    }
}
#undef REAL
#undef NAME
