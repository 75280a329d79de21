/* Vectors of unsigned integers in GNU C, as wide as the vectors of floats of the header that was
 * included before. Sums and products wrap around.
 */
#ifndef OPMILL_VECTOR_INTEGERS_H
#define OPMILL_VECTOR_INTEGERS_H

#include "runtime/platform.h"

#include <stdint.h>
#include <string.h>

enum { U32_LANES = F32_LANES, U64_LANES = F64_LANES };
typedef uint32_t u32_vector __attribute__((vector_size(F32_LANES * 4)));
typedef uint64_t u64_vector __attribute__((vector_size(F64_LANES * 8)));

#define VECTOR_OF_INTEGERS(prefix, real)                                                       \
    static inline prefix##_vector prefix##_zero(void) { return (prefix##_vector){0}; }         \
    static inline prefix##_vector prefix##_load(const void *p) {                               \
        prefix##_vector v;                                                                     \
        memcpy(&v, p, sizeof v);                                                               \
        return v;                                                                              \
    }                                                                                          \
    static inline void prefix##_store(void *p, prefix##_vector v) { memcpy(p, &v, sizeof v); } \
    static inline prefix##_vector prefix##_repeat(real x) { return (prefix##_vector){0} + x; } \
    static inline prefix##_vector prefix##_add(prefix##_vector a, prefix##_vector b) {         \
        return a + b;                                                                          \
    }                                                                                          \
    static inline prefix##_vector prefix##_fma(prefix##_vector a, prefix##_vector b,           \
                                               prefix##_vector c) {                            \
        return a * b + c;                                                                      \
    }
VECTOR_OF_INTEGERS(u32, uint32_t)
VECTOR_OF_INTEGERS(u64, uint64_t)
#undef VECTOR_OF_INTEGERS

/* By way of floats where those are moved as they are; the x87 would change some. */
#if OPMILL_X86_64
#define VECTOR_ZIP(prefix, through, half)                                                      \
    static inline prefix##_vector prefix##_zip_##half(prefix##_vector a, prefix##_vector b) {  \
        through##_vector x, y;                                                                 \
        memcpy(&x, &a, sizeof x);                                                              \
        memcpy(&y, &b, sizeof y);                                                              \
        x = through##_zip_##half(x, y);                                                        \
        memcpy(&a, &x, sizeof a);                                                              \
        return a;                                                                              \
    }
VECTOR_ZIP(u32, f32, low)
VECTOR_ZIP(u32, f32, high)
VECTOR_ZIP(u64, f64, low)
VECTOR_ZIP(u64, f64, high)
#undef VECTOR_ZIP
#else
static inline u32_vector u32_zip_low(u32_vector a, u32_vector b) {
    return (u32_vector){a[0], b[0], a[1], b[1]};
}
static inline u32_vector u32_zip_high(u32_vector a, u32_vector b) {
    return (u32_vector){a[2], b[2], a[3], b[3]};
}
static inline u64_vector u64_zip_low(u64_vector a, u64_vector b) {
    return (u64_vector){a[0], b[0]};
}
static inline u64_vector u64_zip_high(u64_vector a, u64_vector b) {
    return (u64_vector){a[1], b[1]};
}
#endif

#endif
