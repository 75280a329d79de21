/* A crop of one channel, for one element type.
 *
 * kernel.c includes this, with ELEMENT, REAL (the type of positions and sums), WIDEN(element),
 * NARROW(real) and NAME(function). */

/* The positions of an axis: those between two normalised corners, or the one in their middle. */
static void NAME(find_samples)(const ELEMENT *roi, int32_t axis, int64_t size, int64_t count,
                               bool is_nearest, crop_sample *samples) {
    const REAL first = WIDEN(roi[axis]), second = WIDEN(roi[axis + 2]);
    const REAL limit = (REAL)(size - 1);
    const REAL step = count > 1 ? (second - first) * limit / (REAL)(count - 1) : 0;
    for (int64_t i = 0; i < count; i++) {
        const REAL at =
            count > 1 ? first * limit + (REAL)i * step : (REAL)0.5 * (first + second) * limit;
        crop_sample *const sample = &samples[i];
        if (!(at >= 0 && at <= limit)) { /* NaN too */
            sample->low = sample->high = -1;
            continue;
        }
        const int64_t low = (int64_t)at;
        sample->weight = at - (REAL)low;
        const bool is_beside = is_nearest ? sample->weight >= 0.5 : sample->weight > 0;
        /* The last position of an axis may be rounded up to the next one. */
        sample->high = opmill_min(low + is_beside, size - 1);
        sample->low = is_nearest ? sample->high : opmill_min(low, size - 1);
    }
}

static inline REAL NAME(between)(REAL low, REAL high, REAL weight) {
    return low + (high - low) * weight;
}

static void NAME(crop)(const crop_job *job, const crop_sample *rows, const crop_sample *columns,
                       const void *plane, void *to) {
    const ELEMENT outside = NARROW((REAL)job->plan->extrapolation);
    ELEMENT *out = to;
    for (int64_t i = 0; i < job->height; i++, out += job->width) {
        if (rows[i].low < 0) {
            for (int64_t j = 0; j < job->width; j++) {
                out[j] = outside;
            }
            continue;
        }
        const ELEMENT *const top = (const ELEMENT *)plane + rows[i].low * job->row;
        const ELEMENT *const bottom = (const ELEMENT *)plane + rows[i].high * job->row;
        const REAL weight = (REAL)rows[i].weight;
        for (int64_t j = 0; j < job->width; j++) {
            const crop_sample *const at = &columns[j];
            if (at->low < 0) {
                out[j] = outside;
            } else if (job->plan->is_nearest) {
                out[j] = top[at->low];
            } else {
                const REAL above =
                    NAME(between)(WIDEN(top[at->low]), WIDEN(top[at->high]), (REAL)at->weight);
                const REAL below = NAME(between)(WIDEN(bottom[at->low]), WIDEN(bottom[at->high]),
                                                 (REAL)at->weight);
                out[j] = NARROW(NAME(between)(above, below, weight));
            }
        }
    }
}
