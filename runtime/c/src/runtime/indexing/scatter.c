/* Defines the scatter loops (replace, add, multiply, max, min) for each element type by macros and
 * selects one by type and reduction. */
#include "runtime/indexing/scatter.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"

/* A complex number is aligned as its parts are. */
typedef struct pair_32 {
    uint32_t parts[2];
} pair_32;

typedef struct pair_64 {
    uint64_t parts[2];
} pair_64;

typedef struct complex_32 {
    float real, imag;
} complex_32;

typedef struct complex_64 {
    double real, imag;
} complex_64;

/* Both loops for one type and one way to combine: COMBINE(old, update) is the new element. */
#define DEFINE_SCATTER(name, type, COMBINE)                                                       \
    static void name##_elements(void *out, int64_t step, int64_t stride, const int64_t *offsets,  \
                                const void *updates, int64_t count) {                             \
        type *const to = out;                                                                     \
        const type *const from = updates;                                                         \
        if (step == 0 && stride == 1) { /* along the last axis */                                 \
            for (int64_t j = 0; j < count; j++) {                                                 \
                type *const position = to + offsets[j];                                              \
                *position = COMBINE(*position, from[j]);                                                \
            }                                                                                     \
            return;                                                                               \
        }                                                                                         \
        for (int64_t j = 0; j < count; j++) {                                                     \
            type *const position = to + j * step + offsets[j] * stride;                              \
            *position = COMBINE(*position, from[j]);                                                    \
        }                                                                                         \
    }                                                                                             \
    static void name##_row(void *out, const void *updates, int64_t count) {                       \
        type *const to = out;                                                                     \
        const type *const from = updates;                                                         \
        for (int64_t j = 0; j < count; j++) {                                                     \
            to[j] = COMBINE(to[j], from[j]);                                                      \
        }                                                                                         \
    }

#define UPDATE(old, update) (update)
DEFINE_SCATTER(none_8, uint8_t, UPDATE)
DEFINE_SCATTER(none_16, uint16_t, UPDATE)
DEFINE_SCATTER(none_32, uint32_t, UPDATE)
DEFINE_SCATTER(none_64, pair_32, UPDATE)
DEFINE_SCATTER(none_128, pair_64, UPDATE)

/* Products of 16-bit numbers would overflow the int that they are promoted to. */
#define SUM_8(old, update) ((uint8_t)((unsigned)(old) + (update)))
#define SUM_16(old, update) ((uint16_t)((unsigned)(old) + (update)))
#define SUM(old, update) ((old) + (update))
#define PRODUCT_8(old, update) ((uint8_t)((unsigned)(old) * (update)))
#define PRODUCT_16(old, update) ((uint16_t)((unsigned)(old) * (update)))
#define PRODUCT(old, update) ((old) * (update))
DEFINE_SCATTER(add_8, uint8_t, SUM_8)
DEFINE_SCATTER(add_16, uint16_t, SUM_16)
DEFINE_SCATTER(add_32, uint32_t, SUM)
DEFINE_SCATTER(add_64, uint64_t, SUM)
DEFINE_SCATTER(add_float, float, SUM)
DEFINE_SCATTER(add_double, double, SUM)
DEFINE_SCATTER(mul_8, uint8_t, PRODUCT_8)
DEFINE_SCATTER(mul_16, uint16_t, PRODUCT_16)
DEFINE_SCATTER(mul_32, uint32_t, PRODUCT)
DEFINE_SCATTER(mul_64, uint64_t, PRODUCT)
DEFINE_SCATTER(mul_float, float, PRODUCT)
DEFINE_SCATTER(mul_double, double, PRODUCT)

#define OR(old, update) ((uint8_t)(((old) | (update)) != 0))
#define AND(old, update) ((uint8_t)(((old) != 0) & ((update) != 0)))
DEFINE_SCATTER(or_bool, uint8_t, OR)
DEFINE_SCATTER(and_bool, uint8_t, AND)

/* An `old` that is NaN remains; an update that is NaN fails the comparison. */
#define MAXIMUM(old, update) ((old) > (update) ? (old) : (update))
#define MINIMUM(old, update) ((old) < (update) ? (old) : (update))
#define FLOAT_MAXIMUM(old, update) ((old) > (update) || (old) != (old) ? (old) : (update))
#define FLOAT_MINIMUM(old, update) ((old) < (update) || (old) != (old) ? (old) : (update))
#define DEFINE_EXTREMES(suffix, type)                \
    DEFINE_SCATTER(max_##suffix, type, MAXIMUM)      \
    DEFINE_SCATTER(min_##suffix, type, MINIMUM)
DEFINE_EXTREMES(int8, int8_t)
DEFINE_EXTREMES(int16, int16_t)
DEFINE_EXTREMES(int32, int32_t)
DEFINE_EXTREMES(int64, int64_t)
DEFINE_EXTREMES(uint8, uint8_t)
DEFINE_EXTREMES(uint16, uint16_t)
DEFINE_EXTREMES(uint32, uint32_t)
DEFINE_EXTREMES(uint64, uint64_t)
DEFINE_SCATTER(max_float, float, FLOAT_MAXIMUM)
DEFINE_SCATTER(min_float, float, FLOAT_MINIMUM)
DEFINE_SCATTER(max_double, double, FLOAT_MAXIMUM)
DEFINE_SCATTER(min_double, double, FLOAT_MINIMUM)

/* The 16-bit floats: max and min give one of both bit for bit. */
#define DEFINE_HALF(format)                                                             \
    static inline uint16_t sum_##format(uint16_t old, uint16_t update) {                \
        return opmill_float_to_##format(opmill_##format##_to_float(old) +               \
                                        opmill_##format##_to_float(update));            \
    }                                                                                   \
    static inline uint16_t product_##format(uint16_t old, uint16_t update) {            \
        return opmill_float_to_##format(opmill_##format##_to_float(old) *               \
                                        opmill_##format##_to_float(update));            \
    }                                                                                   \
    static inline uint16_t maximum_##format(uint16_t old, uint16_t update) {            \
        const float a = opmill_##format##_to_float(old);                                \
        return a > opmill_##format##_to_float(update) || a != a ? old : update;         \
    }                                                                                   \
    static inline uint16_t minimum_##format(uint16_t old, uint16_t update) {            \
        const float a = opmill_##format##_to_float(old);                                \
        return a < opmill_##format##_to_float(update) || a != a ? old : update;         \
    }                                                                                   \
    DEFINE_SCATTER(add_##format, uint16_t, sum_##format)                                \
    DEFINE_SCATTER(mul_##format, uint16_t, product_##format)                            \
    DEFINE_SCATTER(max_##format, uint16_t, maximum_##format)                            \
    DEFINE_SCATTER(min_##format, uint16_t, minimum_##format)
DEFINE_HALF(float16)
DEFINE_HALF(bfloat16)

/* Each product is rounded before the sum takes it: no fused operation, whatever the processor has.
 */
#define DEFINE_COMPLEX(bits, part)                                                          \
    static inline complex_##bits sum_complex_##bits(complex_##bits a, complex_##bits b) {   \
        return (complex_##bits){a.real + b.real, a.imag + b.imag};                          \
    }                                                                                       \
    static inline complex_##bits product_complex_##bits(complex_##bits a, complex_##bits b) { \
        const volatile part products[] = {a.real * b.real, a.imag * b.imag, a.real * b.imag, \
                                          a.imag * b.real};                                 \
        return (complex_##bits){products[0] - products[1], products[2] + products[3]};      \
    }                                                                                       \
    DEFINE_SCATTER(add_complex_##bits, complex_##bits, sum_complex_##bits)                  \
    DEFINE_SCATTER(mul_complex_##bits, complex_##bits, product_complex_##bits)
DEFINE_COMPLEX(32, float)
DEFINE_COMPLEX(64, double)

#define FUNCTIONS(name) {name##_elements, name##_row}

static opmill_scatter moving(int32_t type) {
    static const opmill_scatter BY_BYTES[] = {FUNCTIONS(none_8), FUNCTIONS(none_16),
                                              FUNCTIONS(none_32), FUNCTIONS(none_64),
                                              FUNCTIONS(none_128)};
    const int32_t bytes = opmill_type_bytes(type);
    int32_t power = 0;
    while (bytes >> (power + 1) > 0) {
        power++;
    }
    return BY_BYTES[power];
}

/* add, mul, max and min of a type; those that the rules refuse are absent. */
typedef struct combination {
    int32_t type;
    opmill_scatter functions[4];
} combination;

#define NUMBER(type, sums, extremes)                                                   \
    {type, {FUNCTIONS(add_##sums), FUNCTIONS(mul_##sums), FUNCTIONS(max_##extremes),   \
            FUNCTIONS(min_##extremes)}}

static const combination COMBINATIONS[] = {
    NUMBER(OPMILL_FLOAT, float, float),
    NUMBER(OPMILL_DOUBLE, double, double),
    NUMBER(OPMILL_FLOAT16, float16, float16),
    NUMBER(OPMILL_BFLOAT16, bfloat16, bfloat16),
    NUMBER(OPMILL_INT8, 8, int8),
    NUMBER(OPMILL_INT16, 16, int16),
    NUMBER(OPMILL_INT32, 32, int32),
    NUMBER(OPMILL_INT64, 64, int64),
    NUMBER(OPMILL_UINT8, 8, uint8),
    NUMBER(OPMILL_UINT16, 16, uint16),
    NUMBER(OPMILL_UINT32, 32, uint32),
    NUMBER(OPMILL_UINT64, 64, uint64),
    {OPMILL_BOOL,
     {FUNCTIONS(or_bool), FUNCTIONS(and_bool), FUNCTIONS(or_bool), FUNCTIONS(and_bool)}},
    {OPMILL_COMPLEX64,
     {FUNCTIONS(add_complex_32), FUNCTIONS(mul_complex_32), {NULL, NULL}, {NULL, NULL}}},
    {OPMILL_COMPLEX128,
     {FUNCTIONS(add_complex_64), FUNCTIONS(mul_complex_64), {NULL, NULL}, {NULL, NULL}}},
};

opmill_scatter opmill_scatter_of(int32_t type, const char *reduction) {
    static const char *const WORDS[] = {"add", "mul", "max", "min"};
    for (size_t i = 0; i < sizeof COMBINATIONS / sizeof COMBINATIONS[0]; i++) {
        for (int k = 0; COMBINATIONS[i].type == type && k < 4; k++) {
            if (strcmp(reduction, WORDS[k]) == 0) {
                return COMBINATIONS[i].functions[k];
            }
        }
    }
    return moving(type);
}
