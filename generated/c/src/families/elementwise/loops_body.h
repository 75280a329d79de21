/* The loops of one instruction set, and the choice among them by type. The kernel that includes
 * this defines LOOPS, the name of the set; functions.h has the functions and the lists of types.
 *
 * A block is a few vectors long, a constant number of elements: what compilers vectorise at -O2
 * already. What is left over is computed as part of a block. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

#define DEFINE_BLOCK(name, from, operand)                                                       \
    static inline void JOIN(block_##name, LOOPS)(                                               \
        const from *restrict x, RESULT(from) *restrict y PARAMETERS(operand)) {                 \
        for (int i = 0; i < BLOCK_OF(from, RESULT(from)); i++) {                                \
            y[i] = of_##name(x[i] ARGUMENTS);                                                   \
        }                                                                                       \
    }

/* float16 and bfloat16 are computed as floats and rounded once; a result of another type is not. */
#define DEFINE_HALF_BLOCK(name)                                                                 \
    static inline void JOIN(block_##name, LOOPS)(                                               \
        const uint16_t *restrict x, RESULT(uint16_t) *restrict y PARAMETERS(float)) {           \
        enum { BLOCK = BLOCK_OF(uint16_t, RESULT(uint16_t)) };                                  \
        float OPMILL_LINES wide[BLOCK];                                                         \
        RESULT(float) OPMILL_LINES results[BLOCK];                                              \
        JOIN(opmill_##name##_widen, LOOPS)(x, wide, BLOCK);                                     \
        for (int i = 0; i < BLOCK; i++) {                                                       \
            results[i] = of_float(wide[i] ARGUMENTS);                                           \
        }                                                                                       \
        NARROW(JOIN(opmill_##name##_narrow, LOOPS), results, y, BLOCK)                          \
    }

#define DEFINE_LOOP(name, from, operand)                                                        \
    static void JOIN(all_##name, LOOPS)(const void *given, void *to, int64_t count,             \
                                        const void *operands) {                                 \
        enum { BLOCK = BLOCK_OF(from, RESULT(from)) };                                          \
        const plan_type *plan = operands;                                                       \
        const from *x = given;                                                                  \
        RESULT(from) *y = to;                                                                   \
        OPERANDS(operand)                                                                       \
        for (; count >= BLOCK; count -= BLOCK, x += BLOCK, y += BLOCK) {                        \
            JOIN(block_##name, LOOPS)(x, y ARGUMENTS);                                          \
        }                                                                                       \
        if (count > 0) {                                                                        \
            from rest[BLOCK] = {0};                                                             \
            RESULT(from) result[BLOCK];                                                         \
            memcpy(rest, x, (size_t)count * sizeof(from));                                      \
            JOIN(block_##name, LOOPS)(rest, result ARGUMENTS);                                  \
            memcpy(y, result, (size_t)count * sizeof result[0]);                                \
        }                                                                                       \
    }

#define DEFINE(name, from, computed, operand, expression, labels) \
    DEFINE_BLOCK(name, from, operand) DEFINE_LOOP(name, from, operand)
#define DEFINE_HALF(name, labels) DEFINE_HALF_BLOCK(name) DEFINE_LOOP(name, uint16_t, float)

#define ISA_baseline OPMILL_ISA_BASELINE
#define ISA_avx2 OPMILL_ISA_AVX2
#define ISA_avx512 OPMILL_ISA_AVX512
#define ISA_AGAIN(set) ISA_##set
#define ISA(set) ISA_AGAIN(set)

#define DEFINE_RUN(name, label, element)                                                        \
    static void JOIN(name, LOOPS)(const void *given, void *to, int64_t count,                   \
                                  const void *operands) {                                       \
        const plan_type *const plan = operands;                                                 \
        const int32_t type = label, isa = ISA(LOOPS);                                           \
        const element *const x = given;                                                         \
        element *const y = to;                                                                  \
        (void)plan;                                                                             \
        OF_RUN                                                                                  \
    }

/* What is left over is computed as part of a run, so that conversions take whole vectors. */
#define DEFINE_HALF_RUN(name, label)                                                            \
    static void JOIN(run_##name, LOOPS)(const void *given, void *to, int64_t count,             \
                                        const void *operands) {                                 \
        const uint16_t *x = given;                                                              \
        uint16_t *y = to;                                                                       \
        float OPMILL_LINES wide[RUN];                                                           \
        float OPMILL_LINES results[RUN] = {0};                                                  \
        for (; count >= RUN; count -= RUN, x += RUN, y += RUN) {                                \
            JOIN(opmill_##name##_widen, LOOPS)(x, wide, RUN);                                   \
            JOIN(run_float, LOOPS)(wide, results, RUN, operands);                               \
            JOIN(opmill_##name##_narrow, LOOPS)(results, y, RUN);                               \
        }                                                                                       \
        if (count > 0) {                                                                        \
            uint16_t part[RUN] = {0};                                                           \
            memcpy(part, x, (size_t)count * sizeof x[0]);                                       \
            JOIN(opmill_##name##_widen, LOOPS)(part, wide, RUN);                                \
            JOIN(run_float, LOOPS)(wide, results, count, operands);                             \
            JOIN(opmill_##name##_narrow, LOOPS)(results, part, RUN);                            \
            memcpy(y, part, (size_t)count * sizeof y[0]);                                       \
        }                                                                                       \
    }

RUNS(DEFINE_RUN)
HALF_RUNS(DEFINE_HALF_RUN)
BITS(DEFINE)
BYTES(DEFINE)
NUMBERS(DEFINE)
HALVES(DEFINE_HALF)

#define CASE(name, from, computed, operand, expression, labels) \
    labels:                                                     \
    return JOIN(all_##name, LOOPS);
#define CASE_HALF(name, labels) CASE(name, uint16_t, float, float, OF_FLOAT, labels)

#define CASE_RUN(name, label, element) \
    case label:                        \
        return OPMILL_USED_TYPES >> label & 1 ? JOIN(name, LOOPS) : NULL;
#define CASE_HALF_RUN(name, label) \
    case label:                    \
        return OPMILL_USED_TYPES >> label & 1 ? JOIN(run_##name, LOOPS) : NULL;

static opmill_unary_loop *JOIN(loop, LOOPS)(int32_t type) {
    switch (type) {
        RUNS(CASE_RUN)
        HALF_RUNS(CASE_HALF_RUN)
        BITS(CASE)
        BYTES(CASE)
        NUMBERS(CASE)
        HALVES(CASE_HALF)
    default:
        return NULL;
    }
}

#undef CASE_HALF_RUN
#undef CASE_RUN
#undef CASE_HALF
#undef DEFINE_HALF_RUN
#undef DEFINE_RUN
#undef ISA
#undef ISA_AGAIN
#undef ISA_avx512
#undef ISA_avx2
#undef ISA_baseline
#undef CASE
#undef DEFINE_HALF
#undef DEFINE
#undef DEFINE_LOOP
#undef DEFINE_HALF_BLOCK
#undef DEFINE_BLOCK
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
