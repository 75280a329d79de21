/* Loops over indices for one instruction set, LOOPS; indices.c includes this. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

/* True if any of `count` values may be out of range; of tuples, whose components alternate. */
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
        if (components == 2) {                                                             \
            const int64_t first = sizes[0], second = sizes[1];                             \
            for (int64_t i = 0; i < count; i += 2) {                                       \
                marks |= mark_outside(values[i], first);                                   \
                marks |= mark_outside(values[i + 1], second);                              \
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

/* Reads values as positions. They are copied before they are looked at, so that each is read once.
 */
#define DEFINE_READ(type)                                                                       \
    static void JOIN(read_##type, LOOPS)(int64_t *offsets, const type *values, int64_t count,   \
                                         int64_t size) {                                        \
        type once[READ_PART];                                                                   \
        int64_t i = 0;                                                                          \
        for (; i + READ_PART <= count; i += READ_PART) {                                        \
            memcpy(once, values + i, sizeof once);                                              \
            for (int k = 0; k < READ_PART; k++) {                                               \
                offsets[i + k] = position_of(once[k], size);                                 \
            }                                                                                   \
        }                                                                                       \
        memcpy(once, values + i, (size_t)(count - i) * sizeof once[0]);                         \
        for (int64_t k = 0; k < count - i; k++) {                                               \
            offsets[i + k] = position_of(once[k], size);                                     \
        }                                                                                       \
    }
DEFINE_READ(int32_t)
DEFINE_READ(int64_t)
#undef DEFINE_READ

/* Pairs of values as the position of the pair; their reader has copied them. */
static void JOIN(join_pairs, LOOPS)(int64_t *offsets, const int64_t *values, int64_t count,
                                    const int64_t *sizes) {
    const int64_t first = sizes[0], second = sizes[1];
    for (int64_t i = 0; i < count; i++) {
        offsets[i] =
            position_of(values[2 * i], first) * second + position_of(values[2 * i + 1], second);
    }
}

static const index_loops JOIN(loops, LOOPS) = {
    JOIN(any_outside_int32_t, LOOPS), JOIN(any_outside_int64_t, LOOPS), JOIN(read_int32_t, LOOPS),
    JOIN(read_int64_t, LOOPS),        JOIN(join_pairs, LOOPS),
};

#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
