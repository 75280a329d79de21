/* Vectors of AVX-512: sixteen floats or eight doubles, in thirty-two registers.
 *
 * Everything from here to VECTOR_END is built for that instruction set, so the functions of a file
 * that includes this run only where the processor has it. Names are those of vector_baseline.h,
 * which says what each does.
 */
#ifndef OPMILL_VECTOR_AVX512_H
#define OPMILL_VECTOR_AVX512_H

#include "runtime/platform/platform.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)

#define VECTOR_END OPMILL_TARGET_END
#define VECTOR_SUFFIX avx512
#define VECTOR_REGISTERS 32
#define VECTOR_BYTES 64
enum { F32_LANES = 16, F64_LANES = 8 };
typedef __m512 f32_vector;
typedef __m512d f64_vector;
typedef __mmask16 f32_mask;
typedef __mmask8 f64_mask;

static inline f32_vector f32_zero(void) { return _mm512_setzero_ps(); }
static inline f32_vector f32_load(const void *p) { return _mm512_loadu_ps(p); }
static inline void f32_store(void *p, f32_vector v) { _mm512_storeu_ps(p, v); }
static inline f32_vector f32_repeat(float x) { return _mm512_set1_ps(x); }
static inline f32_vector f32_add(f32_vector a, f32_vector b) { return _mm512_add_ps(a, b); }
static inline f32_vector f32_raised(f32_vector low, f32_vector v) { return _mm512_max_ps(low, v); }
static inline f32_vector f32_lowered(f32_vector high, f32_vector v) {
    return _mm512_min_ps(high, v);
}
static inline f32_vector f32_fma(f32_vector a, f32_vector b, f32_vector c) {
    return _mm512_fmadd_ps(a, b, c);
}
static inline f32_mask f32_nan(f32_vector v) { return _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q); }
static inline f32_mask f32_either(f32_mask a, f32_mask b) { return (f32_mask)(a | b); }
static inline bool f32_any(f32_mask m) { return m != 0; }
static inline f32_vector f32_zip_low(f32_vector a, f32_vector b) {
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(a, order, b);
}
static inline f32_vector f32_zip_high(f32_vector a, f32_vector b) {
    const __m512i order =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return _mm512_permutex2var_ps(a, order, b);
}
static inline f32_vector f32_unzip(f32_vector a, f32_vector b) {
    const __m512i order =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, order, b);
}
/* Elements at even and at odd positions in an order that f32_ordered makes that of f32_unzip. */
static inline f32_vector f32_evens(f32_vector a, f32_vector b) { return f32_unzip(a, b); }
static inline f32_vector f32_odds(f32_vector a, f32_vector b) {
    const __m512i order =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, order, b);
}
static inline f32_vector f32_ordered(f32_vector v) { return v; }
static inline f32_vector f32_load_part(const void *p, int64_t from, int64_t to) {
    return _mm512_maskz_loadu_ps((f32_mask)((0xffffu << from) & ~(0xffffu << to)), p);
}
typedef f32_mask f32_part_lanes;
static inline f32_part_lanes f32_part(int64_t from, int64_t to) {
    return (f32_mask)((0xffffu << from) & ~(0xffffu << to));
}
static inline f32_vector f32_load_lanes(const void *p, f32_part_lanes lanes) {
    return _mm512_maskz_loadu_ps(lanes, p);
}
static inline void f32_store_part(void *p, f32_vector v, int64_t count) {
    _mm512_mask_storeu_ps(p, (f32_mask) ~(0xffffu << count), v);
}
static inline f32_vector f32_squeeze(f32_vector v, int group, int64_t used) {
    const unsigned lanes = (1u << used) - 1;
    return _mm512_maskz_compress_ps((f32_mask)(lanes * (group == 4 ? 0x1111u : 0x0101u)), v);
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
    const __m512i bits = _mm512_castps_si512(v);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    const __m512i rounded = _mm512_mask_mov_epi32(up, f32_nan(v), quiet);
    _mm256_storeu_si256(p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16)));
}

static inline f64_vector f64_zero(void) { return _mm512_setzero_pd(); }
static inline f64_vector f64_load(const void *p) { return _mm512_loadu_pd(p); }
static inline void f64_store(void *p, f64_vector v) { _mm512_storeu_pd(p, v); }
static inline f64_vector f64_repeat(double x) { return _mm512_set1_pd(x); }
static inline f64_vector f64_add(f64_vector a, f64_vector b) { return _mm512_add_pd(a, b); }
static inline f64_vector f64_raised(f64_vector low, f64_vector v) { return _mm512_max_pd(low, v); }
static inline f64_vector f64_lowered(f64_vector high, f64_vector v) {
    return _mm512_min_pd(high, v);
}
static inline f64_vector f64_fma(f64_vector a, f64_vector b, f64_vector c) {
    return _mm512_fmadd_pd(a, b, c);
}
static inline f64_mask f64_nan(f64_vector v) { return _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q); }
static inline f64_mask f64_either(f64_mask a, f64_mask b) { return (f64_mask)(a | b); }
static inline bool f64_any(f64_mask m) { return m != 0; }
static inline f64_vector f64_zip_low(f64_vector a, f64_vector b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), b);
}
static inline f64_vector f64_zip_high(f64_vector a, f64_vector b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), b);
}
static inline f64_vector f64_unzip(f64_vector a, f64_vector b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
}
static inline f64_vector f64_evens(f64_vector a, f64_vector b) { return f64_unzip(a, b); }
static inline f64_vector f64_odds(f64_vector a, f64_vector b) {
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
}
static inline f64_vector f64_ordered(f64_vector v) { return v; }
static inline f64_vector f64_load_part(const void *p, int64_t from, int64_t to) {
    return _mm512_maskz_loadu_pd((f64_mask)((0xffu << from) & ~(0xffu << to)), p);
}
typedef f64_mask f64_part_lanes;
static inline f64_part_lanes f64_part(int64_t from, int64_t to) {
    return (f64_mask)((0xffu << from) & ~(0xffu << to));
}
static inline f64_vector f64_load_lanes(const void *p, f64_part_lanes lanes) {
    return _mm512_maskz_loadu_pd(lanes, p);
}
static inline void f64_store_part(void *p, f64_vector v, int64_t count) {
    _mm512_mask_storeu_pd(p, (f64_mask) ~(0xffu << count), v);
}
static inline f64_vector f64_squeeze(f64_vector v, int group, int64_t used) {
    (void)group;
    return _mm512_maskz_compress_pd((f64_mask)(((1u << used) - 1) * 0x11u), v);
}

#endif
