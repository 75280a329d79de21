/* The loops of one instruction set, and the choice among them by type. The kernel that includes
 * this defines LOOPS, the name of the set; TYPES, the list of types; and of_TYPE, what is computed
 * of one element.
 *
 * A block is a few vectors long, a constant number of elements: what compilers vectorise at -O2
 * already. What is left over is computed as part of a block. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

#define DEFINE_LOOP(NAME, name, type)                                                \
    static inline void JOIN(block_##name, LOOPS)(const type *restrict x, type *restrict y) { \
        for (int i = 0; i < BLOCK_BYTES / (int)sizeof(type); i++) {                  \
            y[i] = of_##name(x[i]);                                                  \
        }                                                                            \
    }                                                                                \
    static void JOIN(all_##name, LOOPS)(const void *from, void *to, int64_t count) { \
        enum { BLOCK = BLOCK_BYTES / (int)sizeof(type) };                            \
        const type *x = from;                                                        \
        type *y = to;                                                                \
        for (; count >= BLOCK; count -= BLOCK, x += BLOCK, y += BLOCK) {             \
            JOIN(block_##name, LOOPS)(x, y);                                         \
        }                                                                            \
        if (count > 0) {                                                             \
            type rest[BLOCK] = {0}, result[BLOCK];                                   \
            memcpy(rest, x, (size_t)count * sizeof(type));                           \
            JOIN(block_##name, LOOPS)(rest, result);                                 \
            memcpy(y, result, (size_t)count * sizeof(type));                         \
        }                                                                            \
    }

TYPES(DEFINE_LOOP)

#define CASE(NAME, name, type) \
    case OPMILL_##NAME:        \
        return JOIN(all_##name, LOOPS);

static opmill_unary_loop *JOIN(loop, LOOPS)(int32_t type) {
    switch (type) {
        TYPES(CASE)
    default:
        return NULL;
    }
}

#undef CASE
#undef DEFINE_LOOP
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
