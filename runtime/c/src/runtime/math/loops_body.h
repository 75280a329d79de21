/* The loops of one instruction set, LOOPS, over FUNCTIONS; loops.h includes this. They read and
 * write bits, as some processors change NaNs of float in passing. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

#define DEFINE_LOOP(function, kind, bits, value_of_bits)                              \
    static void JOIN(function##_##kind, LOOPS)(const void *from, void *to, int64_t count) { \
        const bits *restrict x = from;                                               \
        bits *restrict y = to;                                                       \
        for (int64_t size; count > 0; x += size, y += size, count -= size) {         \
            size = count < OPMILL_MATH_BLOCK ? count : OPMILL_MATH_BLOCK;            \
            if (USUAL(function##_usual_##kind(x, y, size))) {                        \
                continue;                                                            \
            }                                                                        \
            for (int64_t i = 0; i < size; i++) {                                     \
                y[i] = opmill_result_##kind(                                         \
                    x[i], (kind)opmill_##function##_##kind(value_of_bits(x[i])));    \
            }                                                                        \
            LEFT_OVER(function##_left_##kind(x, y, size))                            \
        }                                                                            \
    }

#define DEFINE_BLOCK_LOOP(function)                                                    \
    static void JOIN(function##_float, LOOPS)(const void *from, void *to, int64_t count) { \
        const opmill_bits32 *restrict x = from;                                        \
        opmill_bits32 *restrict y = to;                                                \
        for (int64_t size; count > 0; x += size, y += size, count -= size) {           \
            size = count < OPMILL_MATH_BLOCK ? count : OPMILL_MATH_BLOCK;              \
            function##_block(LOOPS_ISA, x, y, size);                                   \
        }                                                                              \
    }

#define DEFINE_LOOPS(function)                                           \
    DEFINE_LOOP(function, float, opmill_bits32, opmill_float_of_bits)    \
    DEFINE_LOOP(function, double, opmill_bits64, opmill_double)

#define DEFINE_LOOPS_BY_BLOCKS(function)                                 \
    DEFINE_BLOCK_LOOP(function)                                          \
    DEFINE_LOOP(function, double, opmill_bits64, opmill_double)

FUNCTIONS(DEFINE_LOOPS)
FUNCTIONS_BY_BLOCKS(DEFINE_LOOPS_BY_BLOCKS)

#undef DEFINE_LOOPS_BY_BLOCKS
#undef DEFINE_LOOPS
#undef DEFINE_BLOCK_LOOP
#undef DEFINE_LOOP
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
#undef LOOPS_ISA
