/* The loops of one instruction set, and the choice among them by type. The kernel that includes
 * this defines LOOPS, the name of the set, and IS_MEAN; functions.h has the functions and the lists
 * of types.
 *
 * A block is a few vectors long, a constant number of elements: what compilers vectorise at -O2
 * already. What is left over is computed as part of a block, and an operand that is one element for
 * all is a block that stays where it is, in L1. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

/* The next block of an operand; `left` elements are left of the piece. */
#define DEFINE_NEXT(name, type)                                                                     \
    typedef struct JOIN(reader_##name, LOOPS) {                                                     \
        const type *at;                                                                             \
        bool is_one;                                                                                \
        type block[BLOCK_OF(type, type)]; /* of one element, or of what is left over */             \
    } JOIN(reader_##name, LOOPS);                                                                   \
    static inline void JOIN(begin_##name, LOOPS)(JOIN(reader_##name, LOOPS) * reader,               \
                                                 opmill_several_operand operand) {                  \
        reader->at = operand.data;                                                                  \
        reader->is_one = operand.is_one;                                                            \
        for (int i = 0; i < BLOCK_OF(type, type); i++) {                                            \
            reader->block[i] = reader->at[0];                                                       \
        }                                                                                           \
    }                                                                                               \
    static inline const type *JOIN(next_##name, LOOPS)(JOIN(reader_##name, LOOPS) * reader,         \
                                                       int64_t left) {                              \
        const type *const at = reader->at;                                                          \
        if (reader->is_one) {                                                                       \
            return reader->block;                                                                   \
        }                                                                                           \
        if (left < BLOCK_OF(type, type)) {                                                          \
            memcpy(reader->block, at, (size_t)left * sizeof(type));                                 \
            return reader->block;                                                                   \
        }                                                                                           \
        reader->at += BLOCK_OF(type, type);                                                         \
        return at;                                                                                  \
    }

/* The first two inputs are combined into the output, then the output with each of the others. */
#define DEFINE_NUMBERS(name, type, computed, operand, expression, labels)                           \
    DEFINE_NEXT(name, type)                                                                         \
    static inline void JOIN(block_##name, LOOPS)(const type *restrict a, const type *restrict b,    \
                                                 type *restrict to) {                               \
        for (int i = 0; i < BLOCK_OF(type, type); i++) {                                            \
            to[i] = of_##name(a[i], b[i]);                                                          \
        }                                                                                           \
    }                                                                                               \
    static inline void JOIN(again_##name, LOOPS)(type *restrict to, const type *restrict b) {       \
        for (int i = 0; i < BLOCK_OF(type, type); i++) {                                            \
            to[i] = of_##name(to[i], b[i]);                                                         \
        }                                                                                           \
    }                                                                                               \
    static inline void JOIN(finish_##name, LOOPS)(type *to, type inputs) {                          \
        for (int i = 0; i < BLOCK_OF(type, type); i++) {                                            \
            to[i] = IS_MEAN ? (type)(to[i] / inputs) : to[i];                                       \
        }                                                                                           \
    }                                                                                               \
    static void JOIN(all_##name, LOOPS)(opmill_several_piece * piece, void *output, int64_t count,  \
                                        const void *plan) {                                         \
        enum { BLOCK = BLOCK_OF(type, type) };                                                      \
        const int32_t inputs = *(const int32_t *)plan;                                              \
        JOIN(reader_##name, LOOPS) a, b;                                                            \
        type *const to = output, rest[BLOCK];                                                       \
        JOIN(begin_##name, LOOPS)(&a, opmill_several_read(piece, 0, 0));                            \
        if (inputs > 1) {                                                                           \
            JOIN(begin_##name, LOOPS)(&b, opmill_several_read(piece, 1, 1));                        \
        }                                                                                           \
        for (int64_t i = 0; i < count; i += BLOCK) {                                                \
            const int64_t left = count - i;                                                         \
            type *const target = left < BLOCK ? rest : to + i;                                       \
            const type *const first = JOIN(next_##name, LOOPS)(&a, left);                           \
            if (inputs > 1) {                                                                       \
                JOIN(block_##name, LOOPS)(first, JOIN(next_##name, LOOPS)(&b, left), target);        \
            } else {                                                                                \
                memcpy(target, first, sizeof rest);                                                  \
            }                                                                                       \
            if (left < BLOCK) {                                                                     \
                memcpy(to + i, rest, (size_t)left * sizeof(type));                                  \
            }                                                                                       \
        }                                                                                           \
        for (int32_t k = 2; k < inputs; k++) {                                                      \
            JOIN(begin_##name, LOOPS)(&b, opmill_several_read(piece, k, 1));                        \
            for (int64_t i = 0; i < count; i += BLOCK) {                                            \
                const int64_t left = count - i;                                                     \
                if (left < BLOCK) {                                                                 \
                    memcpy(rest, to + i, (size_t)left * sizeof(type));                              \
                    JOIN(again_##name, LOOPS)(rest, JOIN(next_##name, LOOPS)(&b, left));            \
                    memcpy(to + i, rest, (size_t)left * sizeof(type));                              \
                } else {                                                                            \
                    JOIN(again_##name, LOOPS)(to + i, JOIN(next_##name, LOOPS)(&b, left));          \
                }                                                                                   \
            }                                                                                       \
        }                                                                                           \
        for (int64_t i = 0; IS_MEAN && i < count; i += BLOCK) {                                     \
            const int64_t left = count - i;                                                         \
            if (left < BLOCK) {                                                                     \
                memcpy(rest, to + i, (size_t)left * sizeof(type));                                  \
                JOIN(finish_##name, LOOPS)(rest, (type)inputs);                                     \
                memcpy(to + i, rest, (size_t)left * sizeof(type));                                  \
            } else {                                                                                \
                JOIN(finish_##name, LOOPS)(to + i, (type)inputs);                                   \
            }                                                                                       \
        }                                                                                           \
    }

/* float16 and bfloat16: block by block through all inputs would read each of them anew, so the
 * floats of a whole piece are kept, and rounded once. */
#define DEFINE_HALVES(name, labels)                                                                 \
    DEFINE_NEXT(name, uint16_t)                                                                     \
    static inline void JOIN(combine_##name, LOOPS)(float *restrict to, const float *restrict b) {   \
        for (int i = 0; i < BLOCK_OF(uint16_t, uint16_t); i++) {                                    \
            to[i] = of_float(to[i], b[i]);                                                          \
        }                                                                                           \
    }                                                                                               \
    static inline void JOIN(divide_##name, LOOPS)(float *to, float inputs) {                        \
        for (int i = 0; i < BLOCK_OF(uint16_t, uint16_t); i++) {                                    \
            to[i] = IS_MEAN ? to[i] / inputs : to[i];                                               \
        }                                                                                           \
    }                                                                                               \
    static void JOIN(all_##name, LOOPS)(opmill_several_piece * piece, void *output, int64_t count,  \
                                        const void *plan) {                                         \
        enum { BLOCK = BLOCK_OF(uint16_t, uint16_t) };                                              \
        const int32_t inputs = *(const int32_t *)plan;                                              \
        float OPMILL_LINES floats[OPMILL_PIECE_BYTES / sizeof(uint16_t)], next[BLOCK];              \
        uint16_t *const to = output, rest[BLOCK];                                                   \
        JOIN(reader_##name, LOOPS) reader;                                                          \
        for (int32_t k = 0; k < inputs; k++) {                                                      \
            JOIN(begin_##name, LOOPS)(&reader, opmill_several_read(piece, k, 0));                   \
            for (int64_t i = 0; i < count; i += BLOCK) {                                            \
                const int64_t left = count - i;                                                     \
                const uint16_t *const from = JOIN(next_##name, LOOPS)(&reader, left);               \
                float *const target = floats + i;                                                    \
                if (k == 0) {                                                                       \
                    JOIN(opmill_##name##_widen, LOOPS)(from, target, BLOCK);                         \
                } else {                                                                            \
                    JOIN(opmill_##name##_widen, LOOPS)(from, next, BLOCK);                          \
                    JOIN(combine_##name, LOOPS)(target, next);                                       \
                }                                                                                   \
                if (k == inputs - 1) {                                                              \
                    JOIN(divide_##name, LOOPS)(target, (float)inputs);                               \
                    JOIN(opmill_##name##_narrow, LOOPS)(target, left < BLOCK ? rest : to + i, BLOCK); \
                    if (left < BLOCK) {                                                             \
                        memcpy(to + i, rest, (size_t)left * sizeof rest[0]);                        \
                    }                                                                               \
                }                                                                                   \
            }                                                                                       \
        }                                                                                           \
    }

NUMBERS(DEFINE_NUMBERS)
HALVES(DEFINE_HALVES)

#define CASE(name, type, computed, operand, expression, labels) \
    labels:                                                     \
    return JOIN(all_##name, LOOPS);
#define CASE_HALF(name, labels) CASE(name, uint16_t, float, float, OF_FLOAT, labels)

static opmill_several_compute *JOIN(compute, LOOPS)(int32_t type) {
    switch (type) {
        NUMBERS(CASE)
        HALVES(CASE_HALF)
    default:
        return NULL;
    }
}

#undef CASE_HALF
#undef CASE
#undef DEFINE_HALVES
#undef DEFINE_NUMBERS
#undef DEFINE_NEXT
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
