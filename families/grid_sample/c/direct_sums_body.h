/* Weighted sums of neighbours of a type, TYPE, computed in REAL, whose weights are WEIGHTS; LOAD
 * and STORE convert, NAME(x) names them. A weight of 0 does not look at its element, which may be a
 * NaN. A sum begins with 0, so that terms of 0 do not change it. */

static void NAME(sum)(const sample_block *block, int32_t lines, const void *image, void *to) {
    const TYPE *const restrict from = image;
    TYPE *const restrict out = to;
    TYPE pairs[SAMPLE_BLOCK][2]; /* two neighbours are one load and one store */
    REAL sums[SAMPLE_BLOCK];
    for (int32_t k = 0; k < lines; k++) {
        const int32_t *const restrict offsets = block->offsets[k];
        const REAL *const restrict weights = block->weights.WEIGHTS[2 * k];
        const REAL *const restrict next_weights = block->weights.WEIGHTS[2 * k + 1];
        for (int64_t i = 0; i < block->count; i++) {
            memcpy(pairs[i], from + offsets[i], sizeof pairs[i]);
        }
        for (int64_t i = 0; i < block->count; i++) {
            const REAL product = LOAD(pairs[i][0]) * weights[i];
            const REAL next_product = LOAD(pairs[i][1]) * next_weights[i];
            REAL sum = k == 0 ? 0 : sums[i];
            sum += weights[i] != 0 ? product : 0;
            sum += next_weights[i] != 0 ? next_product : 0;
            sums[i] = sum;
        }
    }
    for (int64_t i = 0; i < block->count; i++) {
        out[i] = STORE(sums[i]);
    }
}

#undef TYPE
#undef REAL
#undef WEIGHTS
#undef LOAD
#undef STORE
#undef NAME
