/* Vectors of AVX2 for the rows and the planes kernel. What vector_avx512.h says of itself holds
 * here too. Even and odd elements come out in order by a permutation across the halves of a vector,
 * which is its own inverse and is left for last: `mixed_even`, `mixed_odd`, `in_order`. */
#ifndef OPMILL_MAX_POOL_VECTOR_AVX2_H
#define OPMILL_MAX_POOL_VECTOR_AVX2_H

#include "runtime/vectors/vector_avx2.h"

enum { S8_LANES = 32, U8_LANES = 32 };

static inline f32_mask f32_greater(f32_vector a, f32_vector b) {
    return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}
static inline f32_vector f32_select(f32_mask m, f32_vector a, f32_vector b) {
    return _mm256_blendv_ps(b, a, m);
}
static inline f32_mask f32_no_nan(void) { return _mm256_setzero_ps(); }
static inline f32_mask f32_either_nan(f32_mask m, f32_vector a, f32_vector b) {
    return _mm256_or_ps(m, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}
static inline f32_vector f32_in_order(__m256 v) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xd8));
}
static inline void f32_store_exact_bfloat16(void *p, f32_vector v) {
    const __m256i high = _mm256_srli_epi32(_mm256_castps_si256(v), 16);
    const __m256i packed = _mm256_packus_epi32(high, high);
    _mm_storeu_si128(p, _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
}
static inline f32_vector f32_odd(f32_vector a, f32_vector b) {
    return f32_in_order(_mm256_shuffle_ps(a, b, 0xdd));
}
static inline f32_vector f32_mixed_even(f32_vector a, f32_vector b) {
    return _mm256_shuffle_ps(a, b, 0x88);
}
static inline f32_vector f32_mixed_odd(f32_vector a, f32_vector b) {
    return _mm256_shuffle_ps(a, b, 0xdd);
}

static inline f64_mask f64_greater(f64_vector a, f64_vector b) {
    return _mm256_cmp_pd(a, b, _CMP_GT_OQ);
}
static inline f64_vector f64_select(f64_mask m, f64_vector a, f64_vector b) {
    return _mm256_blendv_pd(b, a, m);
}
static inline f64_mask f64_no_nan(void) { return _mm256_setzero_pd(); }
static inline f64_mask f64_either_nan(f64_mask m, f64_vector a, f64_vector b) {
    return _mm256_or_pd(m, _mm256_cmp_pd(a, b, _CMP_UNORD_Q));
}
static inline f64_vector f64_odd(f64_vector a, f64_vector b) {
    return _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xd8);
}
static inline f64_vector f64_in_order(f64_vector v) { return _mm256_permute4x64_pd(v, 0xd8); }
static inline f64_vector f64_mixed_even(f64_vector a, f64_vector b) {
    return _mm256_unpacklo_pd(a, b);
}
static inline f64_vector f64_mixed_odd(f64_vector a, f64_vector b) {
    return _mm256_unpackhi_pd(a, b);
}

/* In each half, the bytes at even positions, then those at odd ones. */
static inline __m256i bytes_apart(__m256i v) {
    const __m128i half = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(half));
}
static inline __m256i bytes_mixed_even(__m256i a, __m256i b) {
    return _mm256_unpacklo_epi64(bytes_apart(a), bytes_apart(b));
}
static inline __m256i bytes_mixed_odd(__m256i a, __m256i b) {
    return _mm256_unpackhi_epi64(bytes_apart(a), bytes_apart(b));
}
static inline __m256i bytes_in_order(__m256i v) { return _mm256_permute4x64_epi64(v, 0xd8); }

/* The functions of bytes, of which none is NaN. */
#define BYTE_VECTOR(type, element, intrinsics)                                                 \
    typedef __m256i type##_vector;                                                             \
    typedef int type##_mask;                                                                   \
    static inline __m256i type##_load(const void *p) { return _mm256_loadu_si256(p); }            \
    static inline void type##_store(void *p, __m256i v) { _mm256_storeu_si256(p, v); }            \
    static inline __m256i type##_repeat(element x) { return _mm256_set1_epi8((char)x); }         \
    static inline __m256i type##_raised(__m256i low, __m256i v) {                                \
        return _mm256_max_##intrinsics(low, v);                                                \
    }                                                                                          \
    static inline __m256i type##_lowered(__m256i high, __m256i v) {                              \
        return _mm256_min_##intrinsics(high, v);                                               \
    }                                                                                          \
    static inline int type##_no_nan(void) { return 0; }                                        \
    static inline int type##_either_nan(int m, __m256i a, __m256i b) {                          \
        (void)a;                                                                               \
        (void)b;                                                                               \
        return m;                                                                              \
    }                                                                                          \
    static inline bool type##_any(int m) { return m != 0; }                                    \
    static inline __m256i type##_mixed_even(__m256i a, __m256i b) {                              \
        return bytes_mixed_even(a, b);                                                         \
    }                                                                                          \
    static inline __m256i type##_mixed_odd(__m256i a, __m256i b) {                               \
        return bytes_mixed_odd(a, b);                                                          \
    }                                                                                          \
    static inline __m256i type##_in_order(__m256i v) { return bytes_in_order(v); }              \
    static inline __m256i type##_unzip(__m256i a, __m256i b) {                                   \
        return bytes_in_order(bytes_mixed_even(a, b));                                         \
    }                                                                                          \
    static inline __m256i type##_odd(__m256i a, __m256i b) {                                     \
        return bytes_in_order(bytes_mixed_odd(a, b));                                          \
    }

BYTE_VECTOR(s8, int8_t, epi8)
BYTE_VECTOR(u8, uint8_t, epu8)
#undef BYTE_VECTOR

#endif
