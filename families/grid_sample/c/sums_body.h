/* The loops over a type, TYPE, computed in REAL, whose weights are WEIGHTS; LOAD and STORE convert,
 * NAME(x) names them. A weight of 0 does not look at its element, which may be a NaN. */

static void NAME(add)(const sample_table *table, const void *image, int64_t lanes, int64_t part,
                      void *sums) {
    const TYPE *const restrict from = (const TYPE *)image + part;
    REAL *const restrict to = sums;
    for (int64_t k = 0; k < table->taps; k++) {
        const int64_t *const restrict offsets = table->offsets + k * SAMPLE_BLOCK;
        const REAL *const restrict weights = table->WEIGHTS + k * SAMPLE_BLOCK;
        for (int64_t i = 0; i < table->count; i++) {
            const REAL product = LOAD(from[offsets[i] * lanes]) * weights[i];
            to[i] += weights[i] != 0 ? product : 0;
        }
    }
}

static void NAME(store)(const void *sums, void *to, int64_t lanes, int64_t part, int64_t count) {
    const REAL *const restrict from = sums;
    TYPE *const restrict out = (TYPE *)to + part;
    for (int64_t i = 0; i < count; i++) {
        out[i * lanes] = STORE(from[i]);
    }
}

#undef TYPE
#undef REAL
#undef WEIGHTS
#undef LOAD
#undef STORE
#undef NAME
