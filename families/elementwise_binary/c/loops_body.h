/* The loops of one instruction set, and the choice among them by type. The kernel that includes
 * this defines LOOPS, the name of the set; functions.h has the functions and the lists of types.
 *
 * A block is a few vectors long, a constant number of elements: what compilers vectorise at -O2
 * already. What is left over is computed as part of a block, and an operand that is one element for
 * all is a block that stays where it is, in L1. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

#define DEFINE_BLOCK(name, type, operand)                                                      \
    static inline void JOIN(block_##name, LOOPS)(                                              \
        const type *restrict a, const type *restrict b,                                        \
        RESULT(type) *restrict c PARAMETERS(operand)) {                                        \
        for (int i = 0; i < BLOCK_OF(type, RESULT(type)); i++) {                               \
            c[i] = of_##name(a[i], b[i] ARGUMENTS);                                            \
        }                                                                                      \
    }

/* float16 and bfloat16 are computed as floats and rounded once; a result of another type is not. */
#define DEFINE_HALF_BLOCK(name)                                                                \
    static inline void JOIN(block_##name, LOOPS)(                                              \
        const uint16_t *restrict a, const uint16_t *restrict b,                                \
        RESULT(uint16_t) *restrict c PARAMETERS(float)) {                                      \
        enum { BLOCK = BLOCK_OF(uint16_t, RESULT(uint16_t)) };                                 \
        float OPMILL_LINES x[BLOCK], y[BLOCK];                                                 \
        RESULT(float) OPMILL_LINES z[BLOCK];                                                   \
        JOIN(opmill_##name##_widen, LOOPS)(a, x, BLOCK);                                       \
        JOIN(opmill_##name##_widen, LOOPS)(b, y, BLOCK);                                       \
        for (int i = 0; i < BLOCK; i++) {                                                      \
            z[i] = of_float(x[i], y[i] ARGUMENTS);                                             \
        }                                                                                      \
        NARROW(JOIN(opmill_##name##_narrow, LOOPS), z, c, BLOCK)                               \
    }

#define DEFINE_LOOP(name, type, operand)                                                       \
    static void JOIN(all_##name, LOOPS)(const void *left, bool left_is_one, const void *right, \
                                        bool right_is_one, void *to, int64_t count,            \
                                        const void *operands) {                                \
        enum { BLOCK = BLOCK_OF(type, RESULT(type)) };                                         \
        const plan_type *plan = operands;                                                      \
        const type *a = left, *b = right;                                                      \
        type ones[BLOCK], rest_a[BLOCK] = {0}, rest_b[BLOCK] = {0};                            \
        RESULT(type) *c = to, rest_c[BLOCK];                                                   \
        OPERANDS(operand)                                                                      \
        if (left_is_one || right_is_one) {                                                     \
            for (int i = 0; i < BLOCK; i++) {                                                  \
                ones[i] = left_is_one ? a[0] : b[0];                                           \
            }                                                                                  \
            a = left_is_one ? ones : a;                                                        \
            b = right_is_one ? ones : b;                                                       \
        }                                                                                      \
        for (; count >= BLOCK; count -= BLOCK, c += BLOCK) {                                   \
            JOIN(block_##name, LOOPS)(a, b, c ARGUMENTS);                                      \
            a += left_is_one ? 0 : BLOCK;                                                      \
            b += right_is_one ? 0 : BLOCK;                                                     \
        }                                                                                      \
        if (count > 0) {                                                                       \
            memcpy(rest_a, a, (size_t)count * sizeof(type));                                   \
            memcpy(rest_b, b, (size_t)count * sizeof(type));                                   \
            JOIN(block_##name, LOOPS)(rest_a, rest_b, rest_c ARGUMENTS);                       \
            memcpy(c, rest_c, (size_t)count * sizeof rest_c[0]);                               \
        }                                                                                      \
    }

#define DEFINE(name, type, computed, operand, expression, labels) \
    DEFINE_BLOCK(name, type, operand) DEFINE_LOOP(name, type, operand)
#define DEFINE_HALF(name, labels) DEFINE_HALF_BLOCK(name) DEFINE_LOOP(name, uint16_t, float)

NUMBERS(DEFINE)
HALVES(DEFINE_HALF)

#define CASE(name, type, computed, operand, expression, labels) \
    labels:                                                     \
    return JOIN(all_##name, LOOPS);
#define CASE_HALF(name, labels) CASE(name, uint16_t, float, float, OF_FLOAT, labels)

static opmill_binary_loop *JOIN(loop, LOOPS)(int32_t type) {
    switch (type) {
        NUMBERS(CASE)
        HALVES(CASE_HALF)
    default:
        return NULL;
    }
}

#undef CASE_HALF
#undef CASE
#undef DEFINE_HALF
#undef DEFINE
#undef DEFINE_LOOP
#undef DEFINE_HALF_BLOCK
#undef DEFINE_BLOCK
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
