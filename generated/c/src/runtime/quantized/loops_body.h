/* The loops of one instruction set, plain C that compilers vectorise. The file that includes this
 * one defines LOOPS, the name of the set, and LOOPS_ISA. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)
#define NAME(name) JOIN(name, LOOPS)

static void NAME(divide)(float *restrict q, const float *restrict x, float scale, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        q[i] = x[i] / scale;
    }
}

static void NAME(divide_each)(float *restrict q, const float *restrict x,
                              const float *restrict scales, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        q[i] = x[i] / scales[i];
    }
}

/* Limits come first, which are whole and so change no rounding. Adding 1.5 * 2^23 leaves a float no
 * bits for a fraction: its own rounding is the one to integers. */
#define DEFINE_ROUND(bits) \
    static void NAME(round_##bits)(uint##bits##_t *restrict y, const float *restrict q, \
                                   float zero, float low, float high, int64_t count) { \
        const float min = low - zero, max = high - zero; \
        const int32_t shift = (int32_t)zero - 0x4b400000; \
        for (int64_t i = 0; i < count; i++) { \
            const float raised = q[i] > min ? q[i] : min; \
            const float limited = raised < max ? raised : max; \
            const float moved = limited + 0x1.8p23f; \
            y[i] = (uint##bits##_t)((int32_t)opmill_float_bits(moved) + shift); \
        } \
    } \
    static void NAME(round_##bits##_each)(uint##bits##_t *restrict y, const float *restrict q, \
                                          const float *restrict zeros, float low, float high, \
                                          int64_t count) { \
        for (int64_t i = 0; i < count; i++) { \
            const float min = low - zeros[i], max = high - zeros[i]; \
            const float raised = q[i] > min ? q[i] : min; \
            const float limited = raised < max ? raised : max; \
            const float moved = limited + 0x1.8p23f; \
            const int32_t whole = (int32_t)opmill_float_bits(moved) - 0x4b400000; \
            y[i] = (uint##bits##_t)(whole + (int32_t)zeros[i]); \
        } \
    }

DEFINE_ROUND(8)
DEFINE_ROUND(16)

static void NAME(round_up)(float *restrict q, const double *restrict x, double factor,
                           int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const double product = x[i] * factor;
        q[i] = (float)floor(product + 0.5);
    }
}

static void NAME(quantize_8)(uint8_t *restrict y, const float *restrict x, float scale, float zero,
                             float low, float high, int64_t count) {
    const float min = low - zero, max = high - zero;
    const int32_t shift = (int32_t)zero - 0x4b400000;
    for (int64_t i = 0; i < count; i++) {
        const float quotient = x[i] / scale;
        const float raised = quotient > min ? quotient : min;
        const float limited = raised < max ? raised : max;
        const float moved = limited + 0x1.8p23f;
        y[i] = (uint8_t)((int32_t)opmill_float_bits(moved) + shift);
    }
}

static void NAME(scale_sums)(float *restrict q, const uint32_t *restrict sums, uint32_t added,
                             float factor, const float *restrict terms, int64_t count) {
    for (int64_t i = 0; i < count && terms == NULL; i++) {
        q[i] = (float)(int32_t)(sums[i] + added) * factor;
    }
    for (int64_t i = 0; i < count && terms != NULL; i++) {
        const float scaled = (float)(int32_t)(sums[i] + added) * factor;
        q[i] = scaled + terms[i];
    }
}

static void NAME(scale_sums_each)(float *restrict q, const uint32_t *restrict sums,
                                  const float *restrict factors, const float *restrict terms,
                                  int64_t count) {
    for (int64_t i = 0; i < count && terms == NULL; i++) {
        q[i] = (float)(int32_t)sums[i] * factors[i];
    }
    for (int64_t i = 0; i < count && terms != NULL; i++) {
        const float scaled = (float)(int32_t)sums[i] * factors[i];
        q[i] = scaled + terms[i];
    }
}

static void NAME(add)(float *restrict q, const float *restrict p, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        q[i] = p[i] + q[i];
    }
}

#define SMALLER(a, b) ((b) < (a) ? (b) : (a))
#define LARGER(a, b) ((b) > (a) ? (b) : (a))
#define BOTH(a, b) ((a) & (b))

static bool NAME(extend)(const float *restrict x, int64_t count, float *low, float *high) {
    float lows[OPMILL_LANES], highs[OPMILL_LANES];
    int32_t numbers[OPMILL_LANES]; /* all ones where there was no NaN */
    int64_t i = 0;
    for (int k = 0; k < OPMILL_LANES; k++) {
        lows[k] = *low;
        highs[k] = *high;
        numbers[k] = -1;
    }
    for (; i + OPMILL_LANES <= count; i += OPMILL_LANES) {
        for (int k = 0; k < OPMILL_LANES; k++) {
            const float one = x[i + k];
            lows[k] = SMALLER(lows[k], one);
            highs[k] = LARGER(highs[k], one);
            numbers[k] &= -(one == one);
        }
    }
    OPMILL_LANES_JOIN(lows, SMALLER);
    OPMILL_LANES_JOIN(highs, LARGER);
    OPMILL_LANES_JOIN(numbers, BOTH);
    for (; i < count; i++) {
        lows[0] = SMALLER(lows[0], x[i]);
        highs[0] = LARGER(highs[0], x[i]);
        numbers[0] &= -(x[i] == x[i]);
    }
    *low = lows[0];
    *high = highs[0];
    return numbers[0] == 0;
}

static const quantize_loops LOOPS = {
    .isa = LOOPS_ISA,
    .divide = NAME(divide),
    .divide_each = NAME(divide_each),
    .round_8 = NAME(round_8),
    .round_16 = NAME(round_16),
    .round_8_each = NAME(round_8_each),
    .round_16_each = NAME(round_16_each),
    .round_up = NAME(round_up),
    .quantize_8 = NAME(quantize_8),
    .scale_sums = NAME(scale_sums),
    .scale_sums_each = NAME(scale_sums_each),
    .add = NAME(add),
    .extend = NAME(extend),
};

#undef SMALLER
#undef LARGER
#undef BOTH
#undef DEFINE_ROUND
#undef NAME
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
#undef LOOPS_ISA
