/* Loops over indices for one instruction set, LOOPS; indices.c includes this. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

/* Whether any of `count` values may be out of range; of tuples, whose components alternate. */
#define DEFINE_ANY_OUTSIDE(type)                                                           \
    static bool JOIN(any_outside_##type, LOOPS)(const type *values, int64_t count,         \
                                                const int64_t *sizes, int32_t components) { \
        uint64_t marks = 0;                                                                \
        if (components == 1) {                                                             \
            const int64_t size = sizes[0];                                                 \
            for (int64_t i = 0; i < count; i++) {                                          \
                marks |= mark_outside(values[i], size);                                    \
            }                                                                              \
            return marks >> 63 != 0;                                                       \
        }                                                                                  \
        for (int64_t i = 0; i < count; i += components) {                                  \
            for (int32_t k = 0; k < components; k++) {                                     \
                marks |= mark_outside(values[i + k], sizes[k]);                            \
            }                                                                              \
        }                                                                                  \
        return marks >> 63 != 0;                                                           \
    }
DEFINE_ANY_OUTSIDE(int32_t)
DEFINE_ANY_OUTSIDE(int64_t)
#undef DEFINE_ANY_OUTSIDE

static void JOIN(find_positions, LOOPS)(int64_t *offsets, int64_t count, int64_t size) {
    for (int64_t i = 0; i < count; i++) {
        offsets[i] = position_of(offsets[i], size);
    }
}

static const index_loops JOIN(loops, LOOPS) = {
    JOIN(any_outside_int32_t, LOOPS),
    JOIN(any_outside_int64_t, LOOPS),
    JOIN(find_positions, LOOPS),
};

#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
