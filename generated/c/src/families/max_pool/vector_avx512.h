/* Vectors of AVX-512 for the rows and the planes kernel: those of the runtime, bytes in 64 lanes
 * with the same names of operations, and what these kernels need beside:
 *
 *     greater        where a is greater than b; select takes a there, and b elsewhere
 *     either_nan     remembers where one of two values is NaN; no_nan is what it begins with
 *     odd            every other element of two vectors, from the second on
 *     next           all elements but the first, and another one behind them; of floats
 *     store_exact_bfloat16   stores floats that are bfloat16 already, which need no rounding */
#ifndef OPMILL_MAX_POOL_VECTOR_AVX512_H
#define OPMILL_MAX_POOL_VECTOR_AVX512_H

#include "runtime/vectors/vector_avx512.h"

enum { S8_LANES = 64, U8_LANES = 64 };

static inline f32_mask f32_greater(f32_vector a, f32_vector b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}
static inline f32_vector f32_select(f32_mask m, f32_vector a, f32_vector b) {
    return _mm512_mask_blend_ps(m, b, a);
}
static inline f32_mask f32_no_nan(void) { return 0; }
static inline f32_mask f32_either_nan(f32_mask m, f32_vector a, f32_vector b) {
    return (f32_mask)(m | _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q));
}
static inline void f32_store_exact_bfloat16(void *p, f32_vector v) {
    const __m512i high = _mm512_srli_epi32(_mm512_castps_si512(v), 16);
    _mm256_storeu_si256(p, _mm512_cvtepi32_epi16(high));
}
static inline f32_vector f32_odd(f32_vector a, f32_vector b) {
    const __m512i indices =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, indices, b);
}

static inline f64_mask f64_greater(f64_vector a, f64_vector b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}
static inline f64_vector f64_select(f64_mask m, f64_vector a, f64_vector b) {
    return _mm512_mask_blend_pd(m, b, a);
}
static inline f64_mask f64_no_nan(void) { return 0; }
static inline f64_mask f64_either_nan(f64_mask m, f64_vector a, f64_vector b) {
    return (f64_mask)(m | _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q));
}
static inline f64_vector f64_odd(f64_vector a, f64_vector b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
}

/* In each quarter, the bytes at even positions, then those at odd ones. */
static inline __m512i bytes_apart(__m512i v) {
    const __m128i quarter = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(quarter));
}
static inline __m512i bytes_even(__m512i a, __m512i b) {
    const __m512i indices = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    return _mm512_permutex2var_epi64(bytes_apart(a), indices, bytes_apart(b));
}
static inline __m512i bytes_odd(__m512i a, __m512i b) {
    const __m512i indices = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    return _mm512_permutex2var_epi64(bytes_apart(a), indices, bytes_apart(b));
}

/* The functions of bytes, of which none is NaN. */
#define BYTE_VECTOR(type, element, intrinsics)                                                 \
    typedef __m512i type##_vector;                                                             \
    typedef int type##_mask;                                                                   \
    static inline __m512i type##_load(const void *p) { return _mm512_loadu_si512(p); }            \
    static inline void type##_store(void *p, __m512i v) { _mm512_storeu_si512(p, v); }            \
    static inline __m512i type##_repeat(element x) { return _mm512_set1_epi8((char)x); }         \
    static inline __m512i type##_raised(__m512i low, __m512i v) {                                \
        return _mm512_max_##intrinsics(low, v);                                                \
    }                                                                                          \
    static inline __m512i type##_lowered(__m512i high, __m512i v) {                              \
        return _mm512_min_##intrinsics(high, v);                                               \
    }                                                                                          \
    static inline int type##_no_nan(void) { return 0; }                                        \
    static inline int type##_either_nan(int m, __m512i a, __m512i b) {                          \
        (void)a;                                                                               \
        (void)b;                                                                               \
        return m;                                                                              \
    }                                                                                          \
    static inline bool type##_any(int m) { return m != 0; }                                    \
    static inline __m512i type##_unzip(__m512i a, __m512i b) { return bytes_even(a, b); }        \
    static inline __m512i type##_odd(__m512i a, __m512i b) { return bytes_odd(a, b); }

BYTE_VECTOR(s8, int8_t, epi8)
BYTE_VECTOR(u8, uint8_t, epu8)
#undef BYTE_VECTOR

#include "vector_order.h"

#endif
