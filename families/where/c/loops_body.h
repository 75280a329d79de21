/* The loops of one instruction set, and the choice among them by the bytes of an element. The
 * kernel that includes this defines LOOPS, the name of the set.
 *
 * A block is a constant number of elements: what compilers vectorise at -O2 already. What is left
 * over is computed as part of a block, and an operand that is one element for all is a block that
 * stays where it is, in L1. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

#define DEFINE_BLOCK(bytes, type)                                                               \
    static inline void JOIN(block_##bytes, LOOPS)(const uint8_t *restrict condition,            \
                                                  const type *restrict x,                       \
                                                  const type *restrict y, type *restrict to) {  \
        for (int i = 0; i < BLOCK_OF(type); i++) {                                              \
            const type of_x = x[i], of_y = y[i]; /* both: then there is no branch */            \
            to[i] = condition[i] != 0 ? of_x : of_y;                                            \
        }                                                                                       \
    }

#define DEFINE_SELECT(bytes, type)                                                              \
    static void JOIN(select_##bytes, LOOPS)(opmill_several_piece * piece, void *output,         \
                                            int64_t count, const void *plan) {                  \
        enum { BLOCK = BLOCK_OF(type) };                                                        \
        const opmill_several_operand condition = opmill_several_read(piece, 0, 0);              \
        const bool one = condition.is_one; /* then both sides are the one that is taken */      \
        const bool is_x = one && *(const uint8_t *)condition.data != 0;                         \
        const opmill_several_operand from_x = opmill_several_read(piece, 1 + (one && !is_x), 1);\
        const opmill_several_operand from_y = one ? from_x : opmill_several_read(piece, 2, 2);  \
        uint8_t any[BLOCK] = {0}, rest_c[BLOCK] = {0};                                          \
        const uint8_t *c = one ? any : condition.data;                                          \
        type *to = output;                                                                      \
        (void)plan;                                                                             \
        const type *x = from_x.data, *y = from_y.data;                                          \
        type x_ones[BLOCK], y_ones[BLOCK], rest_x[BLOCK], rest_y[BLOCK], rest[BLOCK];           \
        for (int i = 0; i < BLOCK; i++) {                                                       \
            x_ones[i] = x[0];                                                                   \
            y_ones[i] = y[0];                                                                   \
            rest_x[i] = x[0];                                                                   \
            rest_y[i] = y[0];                                                                   \
        }                                                                                       \
        x = from_x.is_one ? x_ones : x;                                                         \
        y = from_y.is_one ? y_ones : y;                                                         \
        for (; count >= BLOCK; count -= BLOCK, to += BLOCK) {                                   \
            JOIN(block_##bytes, LOOPS)(c, x, y, to);                                            \
            c += one ? 0 : BLOCK;                                                               \
            x += from_x.is_one ? 0 : BLOCK;                                                     \
            y += from_y.is_one ? 0 : BLOCK;                                                     \
        }                                                                                       \
        if (count > 0) {                                                                        \
            memcpy(rest_c, c, (size_t)count);                                                   \
            memcpy(rest_x, x, (size_t)count * sizeof(type));                                    \
            memcpy(rest_y, y, (size_t)count * sizeof(type));                                    \
            JOIN(block_##bytes, LOOPS)(rest_c, rest_x, rest_y, rest);                           \
            memcpy(to, rest, (size_t)count * sizeof(type));                                     \
        }                                                                                       \
    }

#define BLOCK_OF(type) (128 / (int)sizeof(type))

/* The widest element, complex128. */
typedef struct JOIN(wide, LOOPS) {
    uint64_t halves[2];
} JOIN(wide, LOOPS);

/* A block of these has 8 conditions, fewer than a vector holds, and uses each twice. They are
 * copied first, as one word: otherwise gcc 12 vectorises the loop over blocks, fills a vector with
 * the conditions of two blocks, and reads beyond those of the last one. */
static inline void JOIN(block_16, LOOPS)(const uint8_t *restrict condition,
                                         const JOIN(wide, LOOPS) *restrict x,
                                         const JOIN(wide, LOOPS) *restrict y,
                                         JOIN(wide, LOOPS) *restrict to) {
    uint8_t conditions[BLOCK_OF(JOIN(wide, LOOPS))];
    memcpy(conditions, condition, sizeof conditions);
    for (int i = 0; i < BLOCK_OF(JOIN(wide, LOOPS)); i++) {
        const JOIN(wide, LOOPS) of_x = x[i], of_y = y[i];
        to[i] = conditions[i] != 0 ? of_x : of_y;
    }
}

DEFINE_BLOCK(1, uint8_t)
DEFINE_BLOCK(2, uint16_t)
DEFINE_BLOCK(4, uint32_t)
DEFINE_BLOCK(8, uint64_t)
DEFINE_SELECT(1, uint8_t)
DEFINE_SELECT(2, uint16_t)
DEFINE_SELECT(4, uint32_t)
DEFINE_SELECT(8, uint64_t)
DEFINE_SELECT(16, JOIN(wide, LOOPS))

static opmill_several_compute *JOIN(choose, LOOPS)(int32_t bytes) {
    switch (bytes) {
    case 1:
        return JOIN(select_1, LOOPS);
    case 2:
        return JOIN(select_2, LOOPS);
    case 4:
        return JOIN(select_4, LOOPS);
    case 8:
        return JOIN(select_8, LOOPS);
    default:
        return JOIN(select_16, LOOPS);
    }
}

#undef BLOCK_OF
#undef DEFINE_SELECT
#undef DEFINE_BLOCK
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
