/* The loops of one instruction set, plain C that compilers vectorise. The file that includes this
 * one defines LOOPS, the name of the set, and LOOPS_ISA. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)
#define NAME(name) JOIN(name, LOOPS)

static void NAME(scale)(float *restrict y, const float *restrict x, float zero, float scale,
                        int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y[i] = (x[i] - zero) * scale;
    }
}

static void NAME(scale_each)(float *restrict y, const float *restrict x,
                             const float *restrict zeros, const float *restrict scales,
                             int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y[i] = (x[i] - zeros[i]) * scales[i];
    }
}

static void NAME(wide_each)(double *restrict y, const float *restrict x,
                            const float *restrict zeros, const float *restrict scales,
                            int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y[i] = ((double)x[i] - (double)zeros[i]) * (double)scales[i];
    }
}

static void NAME(wide_whole)(double *restrict y, const int32_t *restrict x, int32_t zero,
                             float scale, int64_t count) {
    const double minus = zero, factor = (double)scale;
    for (int64_t i = 0; i < count; i++) {
        y[i] = ((double)x[i] - minus) * factor;
    }
}

static const dequantize_loops LOOPS = {
    .isa = LOOPS_ISA,
    .scale = NAME(scale),
    .scale_each = NAME(scale_each),
    .wide_each = NAME(wide_each),
    .wide_whole = NAME(wide_whole),
};

#undef NAME
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
#undef LOOPS_ISA
