/* Weighted sums of neighbours of a type, TYPE, computed in REAL, whose weights are WEIGHTS; LOAD
 * and STORE convert, NAME(x) names them. A weight of 0 does not look at its element, which may be a
 * NaN. A sum begins with 0, so that terms of 0 do not change it. */

static inline void NAME(sum_lines)(const sample_block *block, int32_t lines,
                                   const TYPE *restrict from, TYPE *restrict to) {
    for (int64_t i = 0; i < block->count; i++) {
        REAL sum = 0;
        for (int32_t k = 0; k < lines; k++) {
            const int32_t at = block->offsets[k][i];
            const REAL weight = block->weights.WEIGHTS[2 * k][i];
            const REAL next_weight = block->weights.WEIGHTS[2 * k + 1][i];
            const REAL product = LOAD(from[at]) * weight;
            const REAL next_product = LOAD(from[at + 1]) * next_weight;
            sum += weight != 0 ? product : 0;
            sum += next_weight != 0 ? next_product : 0;
        }
        to[i] = STORE(sum);
    }
}

static void NAME(sum)(const sample_block *block, int32_t lines, const void *image, void *to) {
    switch (lines) { /* constants, so that the loops over lines vanish */
    case 1:
        NAME(sum_lines)(block, 1, image, to);
        break;
    case 2:
        NAME(sum_lines)(block, 2, image, to);
        break;
    default:
        NAME(sum_lines)(block, 4, image, to);
        break;
    }
}

#undef TYPE
#undef REAL
#undef WEIGHTS
#undef LOAD
#undef STORE
#undef NAME
