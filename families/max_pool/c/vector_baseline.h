/* Vectors of sixteen bytes in GNU C for the rows and the planes kernel. What vector_avx512.h says
 * of itself holds here too. */
#ifndef OPMILL_MAX_POOL_VECTOR_BASELINE_H
#define OPMILL_MAX_POOL_VECTOR_BASELINE_H

#include "runtime/vectors/vector_baseline.h"

enum { S8_LANES = 16, U8_LANES = 16 };

/* The elements of a and then b at these positions. */
#if defined(__clang__)
#define PICK(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(type, a, b, ...) __builtin_shuffle(a, b, (type##_mask){__VA_ARGS__})
#endif
#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_16 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31

/* The functions of floats and doubles beside those of the runtime. */
#define REAL_VECTOR(type)                                                                      \
    static inline type##_mask type##_greater(type##_vector a, type##_vector b) {               \
        return (type##_mask)(a > b);                                                           \
    }                                                                                          \
    static inline type##_vector type##_select(type##_mask m, type##_vector a,                  \
                                              type##_vector b) {                               \
        return (type##_vector)(((type##_mask)a & m) | ((type##_mask)b & ~m));                  \
    }                                                                                          \
    static inline type##_mask type##_no_nan(void) { return (type##_mask){0}; }                 \
    static inline type##_mask type##_either_nan(type##_mask m, type##_vector a,                \
                                                type##_vector b) {                             \
        return m | type##_nan(a) | type##_nan(b);                                              \
    }

REAL_VECTOR(f32)
REAL_VECTOR(f64)
#undef REAL_VECTOR

static inline f32_vector f32_odd(f32_vector a, f32_vector b) { return PICK(f32, a, b, 1, 3, 5, 7); }
static inline f64_vector f64_odd(f64_vector a, f64_vector b) { return PICK(f64, a, b, 1, 3); }
static inline void f32_store_exact_bfloat16(void *p, f32_vector v) { f32_store_bfloat16(p, v); }

/* The functions of bytes, of which none is NaN. */
#define BYTE_VECTOR(type, element)                                                             \
    typedef element type##_vector __attribute__((vector_size(16)));                            \
    typedef int8_t type##_mask __attribute__((vector_size(16)));                               \
    static inline type##_vector type##_load(const void *p) {                                   \
        type##_vector v = {0};                                                                 \
        memcpy(&v, p, sizeof v);                                                               \
        return v;                                                                              \
    }                                                                                          \
    static inline void type##_store(void *p, type##_vector v) { memcpy(p, &v, sizeof v); }     \
    static inline type##_vector type##_repeat(element x) {                                     \
        type##_vector v = {0};                                                                 \
        memset(&v, x, sizeof v);                                                               \
        return v;                                                                              \
    }                                                                                          \
    static inline type##_vector type##_raised(type##_vector low, type##_vector v) {            \
        const type##_mask below = (type##_mask)(low > v);                                      \
        return (type##_vector)(((type##_mask)low & below) | ((type##_mask)v & ~below));        \
    }                                                                                          \
    static inline type##_vector type##_lowered(type##_vector high, type##_vector v) {          \
        const type##_mask above = (type##_mask)(high < v);                                     \
        return (type##_vector)(((type##_mask)high & above) | ((type##_mask)v & ~above));       \
    }                                                                                          \
    static inline type##_mask type##_no_nan(void) { return (type##_mask){0}; }                 \
    static inline type##_mask type##_either_nan(type##_mask m, type##_vector a,                \
                                                type##_vector b) {                             \
        (void)a;                                                                               \
        (void)b;                                                                               \
        return m;                                                                              \
    }                                                                                          \
    static inline bool type##_any(type##_mask m) {                                             \
        (void)m;                                                                               \
        return false;                                                                          \
    }                                                                                          \
    static inline type##_vector type##_unzip(type##_vector a, type##_vector b) {               \
        return PICK(type, a, b, EVEN_16);                                                      \
    }                                                                                          \
    static inline type##_vector type##_odd(type##_vector a, type##_vector b) {                 \
        return PICK(type, a, b, ODD_16);                                                       \
    }

BYTE_VECTOR(s8, int8_t)
BYTE_VECTOR(u8, uint8_t)
#undef BYTE_VECTOR

#include "vector_order.h"

#endif
