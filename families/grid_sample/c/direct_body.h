/* The places and weights of a block of positions; NAME(x) names the functions of an instruction
 * set. All whole numbers are doubles until the last step, so that the loops have one width. */

static void NAME(load)(sample_block *block, const float *restrict from, int64_t axes) {
    for (int64_t a = 0; a < axes; a++) { /* coordinates come from the last axis to the first */
        double *const restrict to = block->positions[axes - 1 - a];
        for (int64_t i = 0; i < block->count; i++) {
            to[i] = (double)from[i * axes + a];
        }
    }
}

static void NAME(load_coordinates)(sample_block *block, int32_t axes, const void *grid,
                                   int32_t type, int64_t first) {
    if (type == OPMILL_FLOAT) {
        const float *const from = (const float *)grid + first;
        switch (axes) { /* constants, so that the loops vectorise */
        case 1:
            NAME(load)(block, from, 1);
            return;
        case 2:
            NAME(load)(block, from, 2);
            return;
        default:
            NAME(load)(block, from, 3);
            return;
        }
    }
    for (int32_t a = 0; a < axes; a++) {
        for (int64_t i = 0; i < block->count; i++) {
            block->positions[a][i] = opmill_real_at(grid, type, first + i * axes + axes - 1 - a);
        }
    }
}

static void NAME(locate)(const sample_filter *filter, int64_t size, int64_t count, double *x) {
    const double last = (double)(size - 1), whole = (double)size;
    if (filter->align_corners) {
        for (int64_t i = 0; i < count; i++) {
            const double n = x[i] == x[i] ? x[i] : -1;
            x[i] = (n + 1) / 2 * last;
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            const double n = x[i] == x[i] ? x[i] : -1;
            const double scaled = (n + 1) * whole; /* by itself, so that nothing is fused */
            x[i] = (scaled - 1) / 2;
        }
    }
}

/* True if all positions, rounded for the nearest element, are between the first element and the
 * last. */
static bool NAME(are_inside)(int64_t size, bool rounded, int64_t count, const double *x) {
    const double low = rounded ? -0.5 : 0, last = (double)(size - 1);
    double outside = 0;
    for (int64_t i = 0; i < count; i++) {
        outside = x[i] >= low && x[i] <= last ? outside : 1;
    }
    return outside == 0;
}

/* Within the limits beyond which all elements are outside; NaN becomes `low`. */
static inline double NAME(limit)(double x, double low, double high) {
    const double above = x > low ? x : low;
    return above < high ? above : high;
}

static inline double NAME(floor)(double x) {
    const double cut = (double)(int32_t)x;
    return cut - (cut > x ? 1 : 0);
}

/* The two elements of an axis, at most one of them outside unless both are. */
static void NAME(find_two)(sample_block *block, int32_t a, const sample_axis *axis, double low,
                           double high) {
    const double size = (double)axis->size, stride = (double)axis->stride;
    const double *const restrict x = block->positions[a];
    double *const restrict at = block->at[a][0], *const restrict next = block->at[a][1];
    double *const restrict weights = block->factors[a][0];
    double *const restrict next_weights = block->factors[a][1];
    for (int64_t i = 0; i < block->count; i++) {
        const double limited = NAME(limit)(x[i], low, high);
        const double first = NAME(floor)(limited), t = limited - first;
        at[i] = NAME(limit)(first, 0, size - 1) * stride;
        next[i] = NAME(limit)(first + 1, 0, size - 1) * stride;
        weights[i] = first >= 0 && first < size ? 1 - t : 0;
        next_weights[i] = first >= -1 && first < size - 1 ? t : 0;
    }
}

/* The same of the last axis, as two neighbours: where one of the two is outside, the other may be
 * the second or the first of them. */
static void NAME(find_neighbours)(sample_block *block, int32_t a, const sample_axis *axis,
                                  double low, double high) {
    const double size = (double)axis->size;
    const double *const restrict x = block->positions[a];
    double *const restrict at = block->at[a][0];
    double *const restrict weights = block->factors[a][0];
    double *const restrict next_weights = block->factors[a][1];
    for (int64_t i = 0; i < block->count; i++) {
        const double limited = NAME(limit)(x[i], low, high);
        const double first = NAME(floor)(limited), t = limited - first;
        const double base = NAME(limit)(first, 0, size - 2), rest = 1 - t;
        const double moved = first - base;
        at[i] = base;
        weights[i] = moved == 0 ? rest : moved == -1 ? t : 0;
        next_weights[i] = moved == 0 ? t : moved == 1 ? rest : 0;
    }
}

/* Weights are multiplied as doubles, from the last axis to the first, and rounded at the end. */
static void NAME(multiply)(sample_block *block, const sample_image *image, int32_t line) {
    const int32_t last = image->axis_count - 1;
    double *const restrict offsets = block->products[0];
    double *const restrict products = block->products[1];
    double *const restrict next_products = block->products[2];
    const int64_t count = block->count;
    memcpy(offsets, block->at[last][0], sizeof block->products[0]);
    memcpy(products, block->factors[last][0], sizeof block->products[0]);
    memcpy(next_products, block->factors[last][1], sizeof block->products[0]);
    for (int32_t a = last - 1; a >= 0; a--) {
        const int32_t slot = line >> (last - 1 - a) & 1;
        const double *const restrict at = block->at[a][slot];
        const double *const restrict factors = block->factors[a][slot];
        for (int64_t i = 0; i < count; i++) {
            offsets[i] += at[i];
            products[i] *= factors[i];
            next_products[i] *= factors[i];
        }
    }
    int32_t *const restrict to = block->offsets[line];
    for (int64_t i = 0; i < count; i++) {
        to[i] = (int32_t)offsets[i];
    }
    if (image->wide) {
        memcpy(block->weights.doubles[2 * line], products, sizeof block->products[0]);
        memcpy(block->weights.doubles[2 * line + 1], next_products, sizeof block->products[0]);
        return;
    }
    float *const restrict weights = block->weights.floats[2 * line];
    float *const restrict next_weights = block->weights.floats[2 * line + 1];
    for (int64_t i = 0; i < count; i++) {
        weights[i] = (float)products[i];
        next_weights[i] = (float)next_products[i];
    }
}

static void NAME(find_nearest)(sample_block *block, int32_t a, const sample_axis *axis, double low,
                               double high) {
    const int32_t last = (int32_t)(axis->size - 1), stride = (int32_t)axis->stride;
    const double *const restrict x = block->positions[a];
    int32_t *const restrict offsets = block->offsets[0];
    for (int64_t i = 0; i < block->count; i++) {
        const double limited = NAME(limit)(x[i], low, high);
        /* the limits are whole numbers, so that the order of the two steps is the same */
        const int32_t at = (int32_t)rint(limited);
        const int32_t sum = offsets[i] + at * stride;
        offsets[i] = (offsets[i] | at | (last - at)) < 0 ? -1 : sum;
    }
}

static bool NAME(position)(sample_block *block, const sample_image *image, const void *grid,
                           int32_t type, int64_t first) {
    const sample_filter *const filter = &image->filter;
    NAME(load_coordinates)(block, image->axis_count, grid, type, first);
    if (filter->taps == 1) {
        memset(block->offsets[0], 0, sizeof block->offsets[0]);
    }
    for (int32_t a = 0; a < image->axis_count; a++) {
        const sample_axis *const axis = &image->axes[a];
        const bool border = filter->padding == SAMPLE_BORDER;
        const double low = border ? 0 : -3, high = (double)(axis->size + (border ? -1 : 2));
        NAME(locate)(filter, axis->size, block->count, block->positions[a]);
        if (filter->padding == SAMPLE_REFLECTION &&
            !NAME(are_inside)(axis->size, filter->taps == 1, block->count, block->positions[a])) {
            return false;
        }
        if (filter->taps == 1) {
            NAME(find_nearest)(block, a, axis, low, high);
        } else if (a == image->axis_count - 1) {
            NAME(find_neighbours)(block, a, axis, low, high);
        } else {
            NAME(find_two)(block, a, axis, low, high);
        }
    }
    for (int32_t line = 0; filter->taps == 2 && line < 1 << (image->axis_count - 1); line++) {
        NAME(multiply)(block, image, line);
    }
    return true;
}

#undef NAME
