/* The loops of one instruction set. The file that includes this defines LOOPS, the name of the set.
 *
 * A run has a constant number of elements, which compilers vectorise; what is left over is computed
 * as part of one. Numbers are double, which are rounded to float and then to narrower types. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

/* Products and sums are statements of their own, which no compiler fuses. */
static inline void JOIN(scale_numbers, LOOPS)(const random_numbers *numbers, double *restrict x) {
    const double offset = numbers->offset, factor = numbers->factor, last = numbers->last;
    for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {
        const double product = x[i] * factor;
        const double sum = offset + product;
        x[i] = sum < last ? sum : last;
    }
}

/* The runs before they are scaled, which several loops share. */
static void JOIN(draw_uniform, LOOPS)(uint64_t key, int64_t at, bool wide, double *restrict x) {
    opmill_random_uniform(key, at, wide, x);
}

static void JOIN(draw_normal, LOOPS)(uint64_t key, int64_t at, bool wide, double *restrict x) {
    opmill_random_normal(key, at, wide, x);
}

#define DEFINE(distribution)                                                                  \
    static void JOIN(distribution##_double, LOOPS)(const random_numbers *numbers, int64_t at, \
                                                   int32_t count, void *to) {                 \
        double x[OPMILL_RANDOM_RUN];                                                          \
        JOIN(draw_##distribution, LOOPS)(numbers->key, at, true, x);                              \
        JOIN(scale_numbers, LOOPS)(numbers, x);                                               \
        memcpy(to, x, (size_t)count * sizeof x[0]);                                           \
    }                                                                                         \
    static inline void JOIN(distribution##_wide, LOOPS)(const random_numbers *numbers,        \
                                                        int64_t at, float *restrict y) {      \
        double x[OPMILL_RANDOM_RUN];                                                          \
        JOIN(draw_##distribution, LOOPS)(numbers->key, at, false, x);                             \
        JOIN(scale_numbers, LOOPS)(numbers, x);                                               \
        for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {                                         \
            y[i] = (float)x[i];                                                               \
        }                                                                                     \
    }                                                                                         \
    static void JOIN(distribution##_float, LOOPS)(const random_numbers *numbers, int64_t at,  \
                                                  int32_t count, void *to) {                  \
        float y[OPMILL_RANDOM_RUN];                                                           \
        JOIN(distribution##_wide, LOOPS)(numbers, at, y);                                     \
        memcpy(to, y, (size_t)count * sizeof y[0]);                                           \
    }                                                                                         \
    static void JOIN(distribution##_float16, LOOPS)(const random_numbers *numbers,            \
                                                    int64_t at, int32_t count, void *to) {    \
        float y[OPMILL_RANDOM_RUN];                                                           \
        uint16_t narrow[OPMILL_RANDOM_RUN];                                                   \
        JOIN(distribution##_wide, LOOPS)(numbers, at, y);                                     \
        JOIN(opmill_float16_narrow, LOOPS)(y, narrow, OPMILL_RANDOM_RUN);                     \
        memcpy(to, narrow, (size_t)count * sizeof narrow[0]);                                 \
    }                                                                                         \
    static void JOIN(distribution##_bfloat16, LOOPS)(const random_numbers *numbers,           \
                                                     int64_t at, int32_t count, void *to) {   \
        float y[OPMILL_RANDOM_RUN];                                                           \
        uint16_t narrow[OPMILL_RANDOM_RUN];                                                   \
        JOIN(distribution##_wide, LOOPS)(numbers, at, y);                                     \
        JOIN(opmill_bfloat16_narrow, LOOPS)(y, narrow, OPMILL_RANDOM_RUN);                    \
        memcpy(to, narrow, (size_t)count * sizeof narrow[0]);                                 \
    }
DEFINE(uniform)
DEFINE(normal)

random_loop *JOIN(opmill_random_loop, LOOPS)(int32_t type, bool is_normal) {
    switch (type) {
    case OPMILL_DOUBLE:
        return is_normal ? JOIN(normal_double, LOOPS) : JOIN(uniform_double, LOOPS);
    case OPMILL_FLOAT:
        return is_normal ? JOIN(normal_float, LOOPS) : JOIN(uniform_float, LOOPS);
    case OPMILL_FLOAT16:
        return is_normal ? JOIN(normal_float16, LOOPS) : JOIN(uniform_float16, LOOPS);
    default:
        return is_normal ? JOIN(normal_bfloat16, LOOPS) : JOIN(uniform_bfloat16, LOOPS);
    }
}

#undef DEFINE
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
