/* Vectors of AVX-512: sixteen floats, eight doubles or 64 bytes. The rows and the planes
 * kernel are written over these functions alone:
 *
 *     larger         the later value where it is larger, else the other one
 *     smaller        a value, or a limit where that is smaller
 *     greater        where a is greater than b; select takes a there, and b elsewhere
 *     either_nan     remembers where one of two values is NaN; any tells whether there was any
 *     even, odd      every other element of two vectors, from the first or the second on
 *     next           all elements but the first, and another one behind them; of floats
 *
 * The file that includes this ends it with VECTOR_END, the end of what is compiled for the set. */
#ifndef OPMILL_MAX_POOL_VECTOR_AVX512_H
#define OPMILL_MAX_POOL_VECTOR_AVX512_H

#include "runtime/platform/platform.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)

#define VECTOR_END OPMILL_TARGET_END
#define VECTOR_SUFFIX avx512
enum { F32_LANES = 16, F64_LANES = 8, S8_LANES = 64, U8_LANES = 64 };
typedef __m512 f32_vector;
typedef __mmask16 f32_mask;
typedef __m512d f64_vector;
typedef __mmask8 f64_mask;
typedef __m512i s8_vector;
typedef int s8_mask;
typedef __m512i u8_vector;
typedef int u8_mask;

static inline f32_vector f32_load(const void *p) { return _mm512_loadu_ps(p); }
static inline void f32_store(void *p, f32_vector v) { _mm512_storeu_ps(p, v); }
static inline f32_vector f32_repeat(float x) { return _mm512_set1_ps(x); }
static inline f32_vector f32_larger(f32_vector later, f32_vector v) {
    return _mm512_max_ps(later, v);
}
static inline f32_vector f32_smaller(f32_vector v, f32_vector limit) {
    return _mm512_min_ps(v, limit);
}
static inline f32_mask f32_greater(f32_vector a, f32_vector b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}
static inline f32_vector f32_select(f32_mask m, f32_vector a, f32_vector b) {
    return _mm512_mask_blend_ps(m, b, a);
}
static inline f32_vector f32_add(f32_vector a, f32_vector b) { return _mm512_add_ps(a, b); }
static inline f32_mask f32_no_nan(void) { return 0; }
static inline f32_mask f32_either_nan(f32_mask m, f32_vector a, f32_vector b) {
    return (f32_mask)(m | _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q));
}
static inline bool f32_any(f32_mask m) { return m != 0; }
static inline f32_vector f32_even(f32_vector a, f32_vector b) {
    const __m512i indices =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, indices, b);
}
static inline f32_vector f32_odd(f32_vector a, f32_vector b) {
    const __m512i indices =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, indices, b);
}
static inline f32_vector f32_next(f32_vector v, float last) {
    const __m512i bits = _mm512_castps_si512(v), end = _mm512_castps_si512(_mm512_set1_ps(last));
    return _mm512_castsi512_ps(_mm512_alignr_epi32(end, bits, 1));
}
static inline f32_vector f32_load_float16(const void *p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(p));
}
/* With a mask of all lanes: gcc's unmasked form at -O0 has a mask of -1, which warns. */
static inline void f32_store_float16(void *p, f32_vector v) {
    enum { ROUNDING = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    _mm256_storeu_si256(p, _mm512_maskz_cvtps_ph(0xffff, v, ROUNDING));
}
static inline f32_vector f32_load_bfloat16(const void *p) {
    const __m512i bits = _mm512_cvtepu16_epi32(_mm256_loadu_si256(p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(bits, 16));
}
static inline void f32_store_bfloat16(void *p, f32_vector v) {
    const __m512i high = _mm512_srli_epi32(_mm512_castps_si512(v), 16);
    _mm256_storeu_si256(p, _mm512_cvtepi32_epi16(high));
}

static inline f64_vector f64_load(const void *p) { return _mm512_loadu_pd(p); }
static inline void f64_store(void *p, f64_vector v) { _mm512_storeu_pd(p, v); }
static inline f64_vector f64_repeat(double x) { return _mm512_set1_pd(x); }
static inline f64_vector f64_larger(f64_vector later, f64_vector v) {
    return _mm512_max_pd(later, v);
}
static inline f64_vector f64_smaller(f64_vector v, f64_vector limit) {
    return _mm512_min_pd(v, limit);
}
static inline f64_mask f64_greater(f64_vector a, f64_vector b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}
static inline f64_vector f64_select(f64_mask m, f64_vector a, f64_vector b) {
    return _mm512_mask_blend_pd(m, b, a);
}
static inline f64_vector f64_add(f64_vector a, f64_vector b) { return _mm512_add_pd(a, b); }
static inline f64_mask f64_no_nan(void) { return 0; }
static inline f64_mask f64_either_nan(f64_mask m, f64_vector a, f64_vector b) {
    return (f64_mask)(m | _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q));
}
static inline bool f64_any(f64_mask m) { return m != 0; }
static inline f64_vector f64_even(f64_vector a, f64_vector b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
}
static inline f64_vector f64_odd(f64_vector a, f64_vector b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
}
static inline f64_vector f64_next(f64_vector v, double last) {
    const __m512i bits = _mm512_castpd_si512(v), end = _mm512_castpd_si512(_mm512_set1_pd(last));
    return _mm512_castsi512_pd(_mm512_alignr_epi64(end, bits, 1));
}

/* In each quarter, the bytes at even places, then those at odd ones. */
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

static inline s8_vector s8_load(const void *p) { return _mm512_loadu_si512(p); }
static inline void s8_store(void *p, s8_vector v) { _mm512_storeu_si512(p, v); }
static inline s8_vector s8_repeat(int8_t x) { return _mm512_set1_epi8((char)x); }
static inline s8_vector s8_larger(s8_vector later, s8_vector v) {
    return _mm512_max_epi8(later, v);
}
static inline s8_vector s8_smaller(s8_vector v, s8_vector limit) {
    return _mm512_min_epi8(v, limit);
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

static inline u8_vector u8_load(const void *p) { return _mm512_loadu_si512(p); }
static inline void u8_store(void *p, u8_vector v) { _mm512_storeu_si512(p, v); }
static inline u8_vector u8_repeat(uint8_t x) { return _mm512_set1_epi8((char)x); }
static inline u8_vector u8_larger(u8_vector later, u8_vector v) {
    return _mm512_max_epu8(later, v);
}
static inline u8_vector u8_smaller(u8_vector v, u8_vector limit) {
    return _mm512_min_epu8(v, limit);
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
