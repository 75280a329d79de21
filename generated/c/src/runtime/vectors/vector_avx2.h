/* Vectors of AVX2 with FMA and F16C: eight floats or four doubles, in sixteen registers. What
 * vector_avx512.h says of itself holds here too.
 */
#ifndef OPMILL_VECTOR_AVX2_H
#define OPMILL_VECTOR_AVX2_H

#include "runtime/platform/platform.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)

#define VECTOR_END OPMILL_TARGET_END
#define VECTOR_SUFFIX avx2
#define VECTOR_REGISTERS 16
#define VECTOR_BYTES 32
enum { F32_LANES = 8, F64_LANES = 4 };
typedef __m256 f32_vector;
typedef __m256d f64_vector;
typedef __m256 f32_mask;
typedef __m256d f64_mask;

static inline f32_vector f32_zero(void) { return _mm256_setzero_ps(); }
static inline f32_vector f32_load(const void *p) { return _mm256_loadu_ps(p); }
static inline void f32_store(void *p, f32_vector v) { _mm256_storeu_ps(p, v); }
static inline f32_vector f32_repeat(float x) { return _mm256_set1_ps(x); }
static inline f32_vector f32_add(f32_vector a, f32_vector b) { return _mm256_add_ps(a, b); }
static inline f32_vector f32_raised(f32_vector low, f32_vector v) { return _mm256_max_ps(low, v); }
static inline f32_vector f32_lowered(f32_vector high, f32_vector v) {
    return _mm256_min_ps(high, v);
}
static inline f32_vector f32_fma(f32_vector a, f32_vector b, f32_vector c) {
    return _mm256_fmadd_ps(a, b, c);
}
static inline f32_mask f32_nan(f32_vector v) { return _mm256_cmp_ps(v, v, _CMP_UNORD_Q); }
static inline f32_mask f32_either(f32_mask a, f32_mask b) { return _mm256_or_ps(a, b); }
static inline bool f32_any(f32_mask m) { return _mm256_movemask_ps(m) != 0; }
static inline f32_vector f32_zip_low(f32_vector a, f32_vector b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x20);
}
static inline f32_vector f32_zip_high(f32_vector a, f32_vector b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x31);
}
static inline f32_vector f32_unzip(f32_vector a, f32_vector b) {
    const __m256d mixed = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88));
    return _mm256_castpd_ps(_mm256_permute4x64_pd(mixed, 0xd8));
}
/* Elements at even and at odd positions in an order that f32_ordered makes that of f32_unzip. */
static inline f32_vector f32_evens(f32_vector a, f32_vector b) {
    return _mm256_shuffle_ps(a, b, 0x88);
}
static inline f32_vector f32_odds(f32_vector a, f32_vector b) {
    return _mm256_shuffle_ps(a, b, 0xdd);
}
static inline f32_vector f32_ordered(f32_vector v) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xd8));
}
static inline __m256i f32_lanes(int64_t from, int64_t to) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i early = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)from), lane);
    return _mm256_andnot_si256(early, _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)to), lane));
}
static inline f32_vector f32_load_part(const void *p, int64_t from, int64_t to) {
    return _mm256_maskload_ps(p, f32_lanes(from, to));
}
typedef __m256i f32_part_lanes;
static inline f32_part_lanes f32_part(int64_t from, int64_t to) { return f32_lanes(from, to); }
static inline f32_vector f32_load_lanes(const void *p, f32_part_lanes lanes) {
    return _mm256_maskload_ps(p, lanes);
}
static inline void f32_store_part(void *p, f32_vector v, int64_t count) {
    _mm256_maskstore_ps(p, f32_lanes(0, count), v);
}
static inline f32_vector f32_squeeze(f32_vector v, int group, int64_t used) {
    (void)group; /* of four */
    (void)used;  /* three */
    return _mm256_permutevar8x32_ps(v, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7));
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
    const __m256i bits = _mm256_castps_si256(v);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i up = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i nan = _mm256_castps_si256(f32_nan(v));
    const __m256i high = _mm256_srli_epi32(_mm256_blendv_epi8(up, quiet, nan), 16);
    const __m256i packed = _mm256_packus_epi32(high, high);
    _mm_storeu_si128(p, _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
}

static inline f64_vector f64_zero(void) { return _mm256_setzero_pd(); }
static inline f64_vector f64_load(const void *p) { return _mm256_loadu_pd(p); }
static inline void f64_store(void *p, f64_vector v) { _mm256_storeu_pd(p, v); }
static inline f64_vector f64_repeat(double x) { return _mm256_set1_pd(x); }
static inline f64_vector f64_add(f64_vector a, f64_vector b) { return _mm256_add_pd(a, b); }
static inline f64_vector f64_raised(f64_vector low, f64_vector v) { return _mm256_max_pd(low, v); }
static inline f64_vector f64_lowered(f64_vector high, f64_vector v) {
    return _mm256_min_pd(high, v);
}
static inline f64_vector f64_fma(f64_vector a, f64_vector b, f64_vector c) {
    return _mm256_fmadd_pd(a, b, c);
}
static inline f64_mask f64_nan(f64_vector v) { return _mm256_cmp_pd(v, v, _CMP_UNORD_Q); }
static inline f64_mask f64_either(f64_mask a, f64_mask b) { return _mm256_or_pd(a, b); }
static inline bool f64_any(f64_mask m) { return _mm256_movemask_pd(m) != 0; }
static inline f64_vector f64_zip_low(f64_vector a, f64_vector b) {
    return _mm256_permute2f128_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), 0x20);
}
static inline f64_vector f64_zip_high(f64_vector a, f64_vector b) {
    return _mm256_permute2f128_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), 0x31);
}
static inline f64_vector f64_unzip(f64_vector a, f64_vector b) {
    return _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xd8);
}
static inline f64_vector f64_evens(f64_vector a, f64_vector b) { return _mm256_unpacklo_pd(a, b); }
static inline f64_vector f64_odds(f64_vector a, f64_vector b) { return _mm256_unpackhi_pd(a, b); }
static inline f64_vector f64_ordered(f64_vector v) { return _mm256_permute4x64_pd(v, 0xd8); }
static inline __m256i f64_lanes(int64_t from, int64_t to) {
    const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
    const __m256i early = _mm256_cmpgt_epi64(_mm256_set1_epi64x(from), lane);
    return _mm256_andnot_si256(early, _mm256_cmpgt_epi64(_mm256_set1_epi64x(to), lane));
}
static inline f64_vector f64_load_part(const void *p, int64_t from, int64_t to) {
    return _mm256_maskload_pd(p, f64_lanes(from, to));
}
typedef __m256i f64_part_lanes;
static inline f64_part_lanes f64_part(int64_t from, int64_t to) { return f64_lanes(from, to); }
static inline f64_vector f64_load_lanes(const void *p, f64_part_lanes lanes) {
    return _mm256_maskload_pd(p, lanes);
}
static inline void f64_store_part(void *p, f64_vector v, int64_t count) {
    _mm256_maskstore_pd(p, f64_lanes(0, count), v);
}
static inline f64_vector f64_squeeze(f64_vector v, int group, int64_t used) {
    (void)group; /* never less than a vector */
    (void)used;
    return v;
}

#endif
