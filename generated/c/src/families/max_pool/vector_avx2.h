/* Vectors of AVX2. What vector_avx512.h says of itself holds here too. */
#ifndef OPMILL_MAX_POOL_VECTOR_AVX2_H
#define OPMILL_MAX_POOL_VECTOR_AVX2_H

#include "runtime/platform/platform.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)

#define VECTOR_END OPMILL_TARGET_END
#define VECTOR_SUFFIX avx2
enum { F32_LANES = 8, F64_LANES = 4, S8_LANES = 32, U8_LANES = 32 };
typedef __m256 f32_vector;
typedef __m256 f32_mask;
typedef __m256d f64_vector;
typedef __m256d f64_mask;
typedef __m256i s8_vector;
typedef int s8_mask;
typedef __m256i u8_vector;
typedef int u8_mask;

static inline f32_vector f32_load(const void *p) { return _mm256_loadu_ps(p); }
static inline void f32_store(void *p, f32_vector v) { _mm256_storeu_ps(p, v); }
static inline f32_vector f32_repeat(float x) { return _mm256_set1_ps(x); }
static inline f32_vector f32_larger(f32_vector later, f32_vector v) {
    return _mm256_max_ps(later, v);
}
static inline f32_vector f32_smaller(f32_vector v, f32_vector limit) {
    return _mm256_min_ps(v, limit);
}
static inline f32_mask f32_greater(f32_vector a, f32_vector b) {
    return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}
static inline f32_vector f32_select(f32_mask m, f32_vector a, f32_vector b) {
    return _mm256_blendv_ps(b, a, m);
}
static inline f32_vector f32_add(f32_vector a, f32_vector b) { return _mm256_add_ps(a, b); }
static inline f32_mask f32_no_nan(void) { return _mm256_setzero_ps(); }
static inline f32_mask f32_either_nan(f32_mask m, f32_vector a, f32_vector b) {
    return _mm256_or_ps(m, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}
static inline bool f32_any(f32_mask m) { return _mm256_movemask_ps(m) != 0; }
static inline f32_vector f32_in_order(__m256 v) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xd8));
}
static inline f32_vector f32_even(f32_vector a, f32_vector b) {
    return f32_in_order(_mm256_shuffle_ps(a, b, 0x88));
}
static inline f32_vector f32_odd(f32_vector a, f32_vector b) {
    return f32_in_order(_mm256_shuffle_ps(a, b, 0xdd));
}
static inline f32_vector f32_next(f32_vector v, float last) {
    const __m256i indices = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
    return _mm256_blend_ps(_mm256_permutevar8x32_ps(v, indices), _mm256_set1_ps(last), 0x80);
}
static inline f32_vector f32_load_float16(const void *p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(p));
}
static inline void f32_store_float16(void *p, f32_vector v) {
    _mm_storeu_si128(p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
static inline f32_vector f32_load_bfloat16(const void *p) {
    const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
}
static inline void f32_store_bfloat16(void *p, f32_vector v) {
    const __m256i high = _mm256_srli_epi32(_mm256_castps_si256(v), 16);
    const __m256i packed = _mm256_packus_epi32(high, high);
    _mm_storeu_si128(p, _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
}

static inline f64_vector f64_load(const void *p) { return _mm256_loadu_pd(p); }
static inline void f64_store(void *p, f64_vector v) { _mm256_storeu_pd(p, v); }
static inline f64_vector f64_repeat(double x) { return _mm256_set1_pd(x); }
static inline f64_vector f64_larger(f64_vector later, f64_vector v) {
    return _mm256_max_pd(later, v);
}
static inline f64_vector f64_smaller(f64_vector v, f64_vector limit) {
    return _mm256_min_pd(v, limit);
}
static inline f64_mask f64_greater(f64_vector a, f64_vector b) {
    return _mm256_cmp_pd(a, b, _CMP_GT_OQ);
}
static inline f64_vector f64_select(f64_mask m, f64_vector a, f64_vector b) {
    return _mm256_blendv_pd(b, a, m);
}
static inline f64_vector f64_add(f64_vector a, f64_vector b) { return _mm256_add_pd(a, b); }
static inline f64_mask f64_no_nan(void) { return _mm256_setzero_pd(); }
static inline f64_mask f64_either_nan(f64_mask m, f64_vector a, f64_vector b) {
    return _mm256_or_pd(m, _mm256_cmp_pd(a, b, _CMP_UNORD_Q));
}
static inline bool f64_any(f64_mask m) { return _mm256_movemask_pd(m) != 0; }
static inline f64_vector f64_even(f64_vector a, f64_vector b) {
    return _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xd8);
}
static inline f64_vector f64_odd(f64_vector a, f64_vector b) {
    return _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xd8);
}
static inline f64_vector f64_next(f64_vector v, double last) {
    return _mm256_blend_pd(_mm256_permute4x64_pd(v, 0x39), _mm256_set1_pd(last), 8);
}

/* In each half, the bytes at even places, then those at odd ones. */
static inline __m256i bytes_apart(__m256i v) {
    const __m128i half = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(half));
}
static inline __m256i bytes_even(__m256i a, __m256i b) {
    const __m256i mixed = _mm256_unpacklo_epi64(bytes_apart(a), bytes_apart(b));
    return _mm256_permute4x64_epi64(mixed, 0xd8);
}
static inline __m256i bytes_odd(__m256i a, __m256i b) {
    const __m256i mixed = _mm256_unpackhi_epi64(bytes_apart(a), bytes_apart(b));
    return _mm256_permute4x64_epi64(mixed, 0xd8);
}

static inline s8_vector s8_load(const void *p) { return _mm256_loadu_si256(p); }
static inline void s8_store(void *p, s8_vector v) { _mm256_storeu_si256(p, v); }
static inline s8_vector s8_repeat(int8_t x) { return _mm256_set1_epi8((char)x); }
static inline s8_vector s8_larger(s8_vector later, s8_vector v) {
    return _mm256_max_epi8(later, v);
}
static inline s8_vector s8_smaller(s8_vector v, s8_vector limit) {
    return _mm256_min_epi8(v, limit);
}
static inline s8_mask s8_no_nan(void) { return 0; }
static inline s8_mask s8_either_nan(s8_mask m, s8_vector a, s8_vector b) {
    (void)a;
    (void)b;
    return m;
}
static inline bool s8_any(s8_mask m) { return m != 0; }
static inline s8_vector s8_even(s8_vector a, s8_vector b) { return bytes_even(a, b); }
static inline s8_vector s8_odd(s8_vector a, s8_vector b) { return bytes_odd(a, b); }

static inline u8_vector u8_load(const void *p) { return _mm256_loadu_si256(p); }
static inline void u8_store(void *p, u8_vector v) { _mm256_storeu_si256(p, v); }
static inline u8_vector u8_repeat(uint8_t x) { return _mm256_set1_epi8((char)x); }
static inline u8_vector u8_larger(u8_vector later, u8_vector v) {
    return _mm256_max_epu8(later, v);
}
static inline u8_vector u8_smaller(u8_vector v, u8_vector limit) {
    return _mm256_min_epu8(v, limit);
}
static inline u8_mask u8_no_nan(void) { return 0; }
static inline u8_mask u8_either_nan(u8_mask m, u8_vector a, u8_vector b) {
    (void)a;
    (void)b;
    return m;
}
static inline bool u8_any(u8_mask m) { return m != 0; }
static inline u8_vector u8_even(u8_vector a, u8_vector b) { return bytes_even(a, b); }
static inline u8_vector u8_odd(u8_vector a, u8_vector b) { return bytes_odd(a, b); }

#endif
