/* The loops of one instruction set, and the choice among them by type. The kernel that includes
 * this defines LOOPS, the name of the set.
 *
 * A block is a constant number of elements: what compilers vectorise at -O2 already. What is left
 * over is computed as part of a block. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)
#define BLOCK_OF(type) (128 / (int)sizeof(type))

#define DEFINE_LOOP(name, type)                                                              \
    static void JOIN(all_##name, LOOPS)(const void *given, void *to, int64_t count,          \
                                        const void *operands) {                              \
        enum { BLOCK = BLOCK_OF(type) };                                                     \
        const interval *const ends = operands;                                                 \
        const type *x = given;                                                               \
        type *y = to, low, high;                                                             \
        memcpy(&low, ends->low, sizeof low);                                                 \
        memcpy(&high, ends->high, sizeof high);                                              \
        for (; count >= BLOCK; count -= BLOCK, x += BLOCK, y += BLOCK) {                     \
            JOIN(block_##name, LOOPS)(x, y, low, high);                                      \
        }                                                                                    \
        if (count > 0) {                                                                     \
            type rest[BLOCK] = {0}, result[BLOCK];                                           \
            memcpy(rest, x, (size_t)count * sizeof(type));                                   \
            JOIN(block_##name, LOOPS)(rest, result, low, high);                              \
            memcpy(y, result, (size_t)count * sizeof(type));                                 \
        }                                                                                    \
    }

/* A NaN is neither below nor above. */
#define DEFINE_CLIP(name, type)                                                              \
    static inline void JOIN(block_##name, LOOPS)(const type *restrict x, type *restrict y,   \
                                                 type low, type high) {                      \
        for (int i = 0; i < BLOCK_OF(type); i++) {                                           \
            const type raised = low > x[i] ? low : x[i];                                     \
            y[i] = high < raised ? high : raised;                                            \
        }                                                                                    \
    }                                                                                        \
    DEFINE_LOOP(name, type)

/* The 16-bit formats, by integers that have the order of the numbers: those of negative ones are
 * negative, those of NaNs beyond those of infinities, and a bound of either zero limits neither. */
#define DEFINE_CLIP_HALF(name, infinity)                                                     \
    static inline int16_t JOIN(order_##name, LOOPS)(uint16_t bits) {                         \
        return (int16_t)(bits & 0x8000u ? bits ^ 0x7fffu : bits);                            \
    }                                                                                        \
    static inline void JOIN(block_##name, LOOPS)(const uint16_t *restrict x,                 \
                                                 uint16_t *restrict y, uint16_t low,         \
                                                 uint16_t high) {                            \
        const int16_t max_order = infinity, min_order = -1 - max_order;                                    \
        const int16_t bottom = (low & 0x7fffu) == 0 ? -1 : JOIN(order_##name, LOOPS)(low);   \
        const int16_t top = (high & 0x7fffu) == 0 ? 0 : JOIN(order_##name, LOOPS)(high);     \
        for (int i = 0; i < BLOCK_OF(uint16_t); i++) {                                       \
            const int16_t order = JOIN(order_##name, LOOPS)(x[i]);                           \
            const int below = (order < bottom) & (order >= min_order);                           \
            const uint16_t raised = below ? low : x[i];                                      \
            const int16_t raised_order = below ? bottom : order;                             \
            const int above = (raised_order > top) & (raised_order <= max_order);                 \
            y[i] = above ? high : raised;                                                    \
        }                                                                                    \
    }                                                                                        \
    DEFINE_LOOP(name, uint16_t)

#define TYPES(LOOP)                                                                          \
    LOOP(float, OPMILL_FLOAT, float)                                                         \
    LOOP(double, OPMILL_DOUBLE, double)                                                      \
    LOOP(int8, OPMILL_INT8, int8_t)                                                          \
    LOOP(int16, OPMILL_INT16, int16_t)                                                       \
    LOOP(int32, OPMILL_INT32, int32_t)                                                       \
    LOOP(int64, OPMILL_INT64, int64_t)                                                       \
    LOOP(uint8, OPMILL_UINT8, uint8_t)                                                       \
    LOOP(uint16, OPMILL_UINT16, uint16_t)                                                    \
    LOOP(uint32, OPMILL_UINT32, uint32_t)                                                    \
    LOOP(uint64, OPMILL_UINT64, uint64_t)
#define DEFINE(name, label, type) DEFINE_CLIP(name, type)
TYPES(DEFINE)
DEFINE_CLIP_HALF(float16, 0x7c00)
DEFINE_CLIP_HALF(bfloat16, 0x7f80)

static opmill_unary_loop *JOIN(loop, LOOPS)(int32_t type) {
    switch (type) {
#define CASE(name, label, type) \
    case label:                 \
        return JOIN(all_##name, LOOPS);
        TYPES(CASE)
        CASE(float16, OPMILL_FLOAT16, uint16_t)
        CASE(bfloat16, OPMILL_BFLOAT16, uint16_t)
    default:
        return NULL;
    }
}

#undef CASE
#undef DEFINE
#undef TYPES
#undef DEFINE_CLIP_HALF
#undef DEFINE_CLIP
#undef DEFINE_LOOP
#undef BLOCK_OF
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
