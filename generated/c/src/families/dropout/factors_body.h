/* The loops of one instruction set. The file that includes this defines LOOPS, the name of the set.
 *
 * A run has a constant number of elements, which compilers vectorise; what is left over is computed
 * as part of one. Products are double, which are rounded to float and then to narrower types. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

/* What a loop begins with: the factor of each element, and the mask. */
static inline void JOIN(factors_of, LOOPS)(const dropout_factors *factors, int64_t at,
                                           int32_t count, double *restrict factor,
                                           uint8_t *restrict is_kept, void *mask) {
    uint32_t words[DROPOUT_RUN];
    const uint32_t limit = factors->limit;
    const double scale = factors->scale;
    opmill_philox_words(factors->seed, (uint64_t)at / OPMILL_PHILOX_LANES, words);
    for (int i = 0; i < DROPOUT_RUN; i++) {
        is_kept[i] = words[i] > limit;
    }
    for (int i = 0; i < DROPOUT_RUN; i++) {
        factor[i] = words[i] > limit ? scale : 0;
    }
    if (mask != NULL) {
        put_mask(mask, factors->mask_type, is_kept, count);
    }
}

#define DEFINE(name, type)                                                                        \
    static void JOIN(all_##name, LOOPS)(const dropout_factors *factors, int64_t at, int32_t count, \
                                        const void *from, void *to, void *mask) {                 \
        double factor[DROPOUT_RUN];                                                               \
        uint8_t is_kept[DROPOUT_RUN];                                                                \
        const type *restrict x = from;                                                            \
        type *restrict y = to, whole[DROPOUT_RUN] = {0}, result[DROPOUT_RUN];                     \
        JOIN(factors_of, LOOPS)(factors, at, count, factor, is_kept, mask);                          \
        if (count < DROPOUT_RUN) {                                                                \
            memcpy(whole, from, (size_t)count * sizeof whole[0]);                                 \
            x = whole;                                                                            \
            y = result;                                                                           \
        }                                                                                         \
        for (int i = 0; i < DROPOUT_RUN; i++) {                                                   \
            y[i] = (type)((double)x[i] * factor[i]);                                              \
        }                                                                                         \
        if (count < DROPOUT_RUN) {                                                                \
            memcpy(to, result, (size_t)count * sizeof result[0]);                                 \
        }                                                                                         \
    }
DEFINE(float, float)
DEFINE(double, double)

#define DEFINE_HALF(name)                                                                         \
    static void JOIN(all_##name, LOOPS)(const dropout_factors *factors, int64_t at, int32_t count, \
                                        const void *from, void *to, void *mask) {                 \
        double factor[DROPOUT_RUN];                                                               \
        uint8_t is_kept[DROPOUT_RUN];                                                                \
        uint16_t part[DROPOUT_RUN] = {0};                                                         \
        float wide[DROPOUT_RUN];                                                                  \
        JOIN(factors_of, LOOPS)(factors, at, count, factor, is_kept, mask);                          \
        memcpy(part, from, (size_t)count * sizeof part[0]);                                       \
        JOIN(opmill_##name##_widen, LOOPS)(part, wide, DROPOUT_RUN);                              \
        for (int i = 0; i < DROPOUT_RUN; i++) {                                                   \
            wide[i] = (float)((double)wide[i] * factor[i]);                                       \
        }                                                                                         \
        JOIN(opmill_##name##_narrow, LOOPS)(wide, part, DROPOUT_RUN);                             \
        memcpy(to, part, (size_t)count * sizeof part[0]);                                         \
    }
DEFINE_HALF(float16)
DEFINE_HALF(bfloat16)

/* Types of 8 bits have few products, which were computed before. */
static void JOIN(all_float8, LOOPS)(const dropout_factors *factors, int64_t at, int32_t count,
                                    const void *from, void *to, void *mask) {
    double factor[DROPOUT_RUN];
    uint8_t is_kept[DROPOUT_RUN];
    const uint8_t *const x = from;
    uint8_t *const y = to;
    JOIN(factors_of, LOOPS)(factors, at, count, factor, is_kept, mask);
    for (int32_t i = 0; i < count; i++) {
        y[i] = factors->table[is_kept[i]][x[i]];
    }
}

dropout_loop *JOIN(opmill_dropout_loop, LOOPS)(int32_t type) {
    switch (type) {
    case OPMILL_FLOAT:
        return JOIN(all_float, LOOPS);
    case OPMILL_DOUBLE:
        return JOIN(all_double, LOOPS);
    case OPMILL_FLOAT16:
        return JOIN(all_float16, LOOPS);
    case OPMILL_BFLOAT16:
        return JOIN(all_bfloat16, LOOPS);
    default:
        return JOIN(all_float8, LOOPS);
    }
}

#undef DEFINE_HALF
#undef DEFINE
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
