/* Vectors of unsigned integers in GNU C, as wide as the vectors of floats of the header that was
 * included before. Sums and products wrap around.
 */
#ifndef OPMILL_VECTOR_INTEGERS_H
#define OPMILL_VECTOR_INTEGERS_H

#include "runtime/platform/platform.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && VECTOR_BYTES == 16
#include <emmintrin.h>
#endif

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

/* Pairs of signed integers of 16 bits, the first in the lower half of an element: the sum of both
 * products of a pair is added. Sums are u32. */
enum { P16_LANES = U32_LANES };
typedef u32_vector p16_vector;
#if VECTOR_BYTES == 64
static inline u32_vector p16_products(u32_vector a, u32_vector b) {
    return (u32_vector)_mm512_madd_epi16((__m512i)a, (__m512i)b);
}
#elif VECTOR_BYTES == 32
static inline u32_vector p16_products(u32_vector a, u32_vector b) {
    return (u32_vector)_mm256_madd_epi16((__m256i)a, (__m256i)b);
}
#elif defined(__SSE2__)
static inline u32_vector p16_products(u32_vector a, u32_vector b) {
    return (u32_vector)_mm_madd_epi16((__m128i)a, (__m128i)b);
}
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
static inline u32_vector p16_products(u32_vector a, u32_vector b) {
    const int16x8_t x = vreinterpretq_s16_u32((uint32x4_t)a);
    const int16x8_t y = vreinterpretq_s16_u32((uint32x4_t)b);
    const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
    return (u32_vector)vreinterpretq_u32_s32(vpaddq_s32(low, vmull_high_s16(x, y)));
}
#else
static inline u32_vector p16_products(u32_vector a, u32_vector b) {
    const u32_vector sign = (u32_vector){0} + 0x8000u;
    const u32_vector low = (((a & 0xffffu) ^ sign) - sign) * (((b & 0xffffu) ^ sign) - sign);
    return low + ((a >> 16 ^ sign) - sign) * ((b >> 16 ^ sign) - sign);
}
#endif
#define p16_zero u32_zero
#define p16_load u32_load
#define p16_store u32_store
#define p16_repeat u32_repeat
#define p16_zip_low u32_zip_low
#define p16_zip_high u32_zip_high
static inline u32_vector p16_fma(u32_vector a, u32_vector b, u32_vector c) {
    return c + p16_products(a, b);
}

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
