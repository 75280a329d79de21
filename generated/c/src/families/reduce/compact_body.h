/* The mean of adjacent elements, of which READ(x, i) is one as a float; NAME(function) is the name
 * of each function. */

/* The sum of a block, in the order of the library: lanes, and the rest. */
static float NAME(sum)(const SOURCE *x, int32_t first, int32_t count) {
    float lanes[OPMILL_LANES], rest = 0;
    int32_t i = 0;
    for (; i + OPMILL_LANES <= count; i += OPMILL_LANES) {
        for (int32_t k = 0; k < OPMILL_LANES; k++) {
            lanes[k] = (i > 0 ? lanes[k] : 0) + READ(x, first + i + k);
        }
    }
    const bool has_lanes = i > 0;
    for (; i < count; i++) {
        rest += READ(x, first + i);
    }
    if (has_lanes) {
        rest = opmill_compact_join(lanes) + rest;
    }
    return rest;
}

static double NAME(block)(const SOURCE *x, int32_t first, int32_t count) {
    const float sum = NAME(sum)(x, first, count);
    double whole = 0;
    if (isfinite(sum)) {
        return (double)sum;
    }
    for (int32_t i = 0; i < count; i++) { /* floats are infinite where doubles are not */
        whole += (double)READ(x, first + i);
    }
    return whole;
}

static double NAME(total)(const SOURCE *x, int32_t first, int32_t length) {
    double total = 0;
    for (int32_t i = 0; i < length; i += OPMILL_REDUCE_BLOCK) {
        const int32_t left = length - i;
        total += NAME(block)(x, first + i, left < OPMILL_REDUCE_BLOCK ? left : OPMILL_REDUCE_BLOCK);
    }
    return total;
}

static float NAME(mean)(const SOURCE *x, int32_t first, int32_t length) {
    return (float)(NAME(total)(x, first, length) / (double)length);
}

#undef NAME
#undef SOURCE
#undef READ
