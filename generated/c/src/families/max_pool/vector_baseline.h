/* Vectors of sixteen bytes in the words of GNU C, for any processor. What vector_avx512.h says of
 * itself holds here too. */
#ifndef OPMILL_MAX_POOL_VECTOR_BASELINE_H
#define OPMILL_MAX_POOL_VECTOR_BASELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/numbers/half.h"

#define VECTOR_END
#define VECTOR_SUFFIX baseline
enum { F32_LANES = 4, F64_LANES = 2, S8_LANES = 16, U8_LANES = 16 };

/* The elements of a and then b at these places. */
#if defined(__clang__)
#define PICK(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(type, a, b, ...) __builtin_shuffle(a, b, (type##_mask){__VA_ARGS__})
#endif
#define EVEN_2 0, 2
#define ODD_2 1, 3
#define NEXT_2 1, 2
#define EVEN_4 0, 2, 4, 6
#define ODD_4 1, 3, 5, 7
#define NEXT_4 1, 2, 3, 4
#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_16 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31

/* The functions of a type: its element, the integer that a comparison gives, and its vector. */
#define BASELINE_VECTOR(type, element, integer, lanes)                                          \
    typedef element type##_vector __attribute__((vector_size(16)));                             \
    typedef integer type##_mask __attribute__((vector_size(16)));                               \
    static inline type##_vector type##_load(const void *p) {                                    \
        type##_vector v = {0};                                                                  \
        memcpy(&v, p, sizeof v);                                                                \
        return v;                                                                               \
    }                                                                                           \
    static inline void type##_store(void *p, type##_vector v) { memcpy(p, &v, sizeof v); }      \
    static inline type##_vector type##_repeat(element x) {                                      \
        type##_vector v = {0};                                                                  \
        for (int i = 0; i < (lanes); i++) {                                                     \
            v[i] = x;                                                                           \
        }                                                                                       \
        return v;                                                                               \
    }                                                                                           \
    static inline type##_vector type##_larger(type##_vector later, type##_vector v) {           \
        const type##_mask taken = (type##_mask)(later > v);                                     \
        return (type##_vector)(((type##_mask)later & taken) | ((type##_mask)v & ~taken));       \
    }                                                                                           \
    static inline type##_vector type##_smaller(type##_vector v, type##_vector limit) {          \
        const type##_mask taken = (type##_mask)(limit < v);                                     \
        return (type##_vector)(((type##_mask)limit & taken) | ((type##_mask)v & ~taken));       \
    }                                                                                           \
    static inline type##_mask type##_greater(type##_vector a, type##_vector b) {                \
        return (type##_mask)(a > b);                                                            \
    }                                                                                           \
    static inline type##_vector type##_select(type##_mask m, type##_vector a,                   \
                                              type##_vector b) {                                \
        return (type##_vector)(((type##_mask)a & m) | ((type##_mask)b & ~m));                   \
    }                                                                                           \
    static inline type##_vector type##_add(type##_vector a, type##_vector b) { return a + b; }  \
    static inline type##_mask type##_no_nan(void) { return (type##_mask){0}; }                  \
    static inline type##_mask type##_either_nan(type##_mask m, type##_vector a,                 \
                                                type##_vector b) {                              \
        return m | (type##_mask)(a != a) | (type##_mask)(b != b);                               \
    }                                                                                           \
    static inline bool type##_any(type##_mask m) {                                              \
        uint64_t halves[2];                                                                     \
        memcpy(halves, &m, sizeof halves);                                                      \
        return (halves[0] | halves[1]) != 0;                                                    \
    }                                                                                           \
    static inline type##_vector type##_even(type##_vector a, type##_vector b) {                 \
        return PICK(type, a, b, EVEN_##lanes);                                                  \
    }                                                                                           \
    static inline type##_vector type##_odd(type##_vector a, type##_vector b) {                  \
        return PICK(type, a, b, ODD_##lanes);                                                   \
    }

BASELINE_VECTOR(f32, float, int32_t, 4)
BASELINE_VECTOR(f64, double, int64_t, 2)
BASELINE_VECTOR(s8, int8_t, int8_t, 16)
BASELINE_VECTOR(u8, uint8_t, int8_t, 16)

static inline f32_vector f32_next(f32_vector v, float last) {
    return PICK(f32, v, f32_repeat(last), NEXT_4);
}
static inline f64_vector f64_next(f64_vector v, double last) {
    return PICK(f64, v, f64_repeat(last), NEXT_2);
}

static inline f32_vector f32_load_float16(const void *p) {
    uint16_t bits[F32_LANES];
    f32_vector v = {0};
    memcpy(bits, p, sizeof bits);
    for (int i = 0; i < F32_LANES; i++) {
        v[i] = opmill_float16_to_float(bits[i]);
    }
    return v;
}
static inline void f32_store_float16(void *p, f32_vector v) {
    uint16_t bits[F32_LANES];
    for (int i = 0; i < F32_LANES; i++) {
        bits[i] = opmill_float_to_float16(v[i]);
    }
    memcpy(p, bits, sizeof bits);
}
static inline f32_vector f32_load_bfloat16(const void *p) {
    uint16_t bits[F32_LANES];
    f32_vector v = {0};
    memcpy(bits, p, sizeof bits);
    for (int i = 0; i < F32_LANES; i++) {
        v[i] = opmill_bfloat16_to_float(bits[i]);
    }
    return v;
}
static inline void f32_store_bfloat16(void *p, f32_vector v) {
    uint16_t bits[F32_LANES];
    for (int i = 0; i < F32_LANES; i++) {
        bits[i] = opmill_float_to_bfloat16(v[i]);
    }
    memcpy(p, bits, sizeof bits);
}

#endif
