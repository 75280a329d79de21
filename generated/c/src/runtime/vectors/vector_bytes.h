/* Bytes beside the vectors of floats and integers of the headers that were included before: a group
 * of bytes has as many as four vectors of floats have lanes.
 */
#ifndef OPMILL_VECTOR_BYTES_H
#define OPMILL_VECTOR_BYTES_H

#include "runtime/numbers/half.h"
#include "runtime/platform/platform.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef VECTOR_BYTES /* vector_plain.h */
#define VECTOR_BYTES 0
#endif
#if defined(__SSE2__) && VECTOR_BYTES == 16
#include <emmintrin.h>
#define BYTES_SSE2 1
#else
#define BYTES_SSE2 0
#endif

enum { U8_GROUP = 4 * F32_LANES };

/* f32_load_bytes, u64_load_bytes: a vector of as many bytes, of which a constant says whether they
 * are signed.
 * f32_store_bytes: a group of floats as the nearest integers, ties to even, limited to the range of
 * the type; NaN becomes its minimum.
 * u8_sums, u8_sums_part: numbers whose sum is that of a group of unsigned bytes, or of less than a
 * group, each with the bits of `flip` inverted. */
#if VECTOR_BYTES == 64
static inline f32_vector f32_load_bytes(const void *p, bool is_signed) {
    const __m128i bytes = _mm_loadu_si128(p);
    return _mm512_cvtepi32_ps(is_signed ? _mm512_cvtepi8_epi32(bytes)
                                        : _mm512_cvtepu8_epi32(bytes));
}
static inline __m512i f32_whole(f32_vector v, float high) {
    return _mm512_cvtps_epi32(f32_lowered(f32_repeat(high), v));
}
static inline void f32_store_bytes(void *p, const f32_vector v[4], bool is_signed) {
    const float high = is_signed ? 127 : 255;
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i first = _mm512_packs_epi32(f32_whole(v[0], high), f32_whole(v[1], high));
    const __m512i second = _mm512_packs_epi32(f32_whole(v[2], high), f32_whole(v[3], high));
    const __m512i mixed =
        is_signed ? _mm512_packs_epi16(first, second) : _mm512_packus_epi16(first, second);
    _mm512_storeu_si512(p, _mm512_permutexvar_epi32(order, mixed));
}
static inline u64_vector u8_sums_of(__m512i bytes, __mmask64 lanes, uint8_t flip) {
    const __m512i flipped = _mm512_xor_si512(bytes, _mm512_maskz_set1_epi8(lanes, (char)flip));
    return (u64_vector)_mm512_sad_epu8(flipped, _mm512_setzero_si512());
}
static inline u64_vector u8_sums(const void *p, uint8_t flip) {
    return u8_sums_of(_mm512_loadu_si512(p), ~(__mmask64)0, flip);
}
static inline u64_vector u8_sums_part(const void *p, int64_t count, uint8_t flip) {
    const __mmask64 lanes = ((__mmask64)1 << count) - 1;
    return u8_sums_of(_mm512_maskz_loadu_epi8(lanes, p), lanes, flip);
}
static inline u64_vector u64_load_bytes(const void *p, bool is_signed) {
    const __m128i bytes = _mm_loadl_epi64(p);
    return (u64_vector)(is_signed ? _mm512_cvtepi8_epi64(bytes) : _mm512_cvtepu8_epi64(bytes));
}
#elif VECTOR_BYTES == 32
static inline f32_vector f32_load_bytes(const void *p, bool is_signed) {
    const __m128i bytes = _mm_loadl_epi64(p);
    return _mm256_cvtepi32_ps(is_signed ? _mm256_cvtepi8_epi32(bytes)
                                        : _mm256_cvtepu8_epi32(bytes));
}
static inline __m256i f32_whole(f32_vector v, float high) {
    return _mm256_cvtps_epi32(f32_lowered(f32_repeat(high), v));
}
static inline void f32_store_bytes(void *p, const f32_vector v[4], bool is_signed) {
    const float high = is_signed ? 127 : 255;
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i first = _mm256_packs_epi32(f32_whole(v[0], high), f32_whole(v[1], high));
    const __m256i second = _mm256_packs_epi32(f32_whole(v[2], high), f32_whole(v[3], high));
    const __m256i mixed =
        is_signed ? _mm256_packs_epi16(first, second) : _mm256_packus_epi16(first, second);
    _mm256_storeu_si256(p, _mm256_permutevar8x32_epi32(mixed, order));
}
static inline u64_vector u8_sums(const void *p, uint8_t flip) {
    const __m256i bytes = _mm256_xor_si256(_mm256_loadu_si256(p), _mm256_set1_epi8((char)flip));
    return (u64_vector)_mm256_sad_epu8(bytes, _mm256_setzero_si256());
}
static inline u64_vector u64_load_bytes(const void *p, bool is_signed) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    const __m128i bytes = _mm_cvtsi32_si128(four);
    return (u64_vector)(is_signed ? _mm256_cvtepi8_epi64(bytes) : _mm256_cvtepu8_epi64(bytes));
}
#elif BYTES_SSE2
static inline f32_vector f32_load_bytes(const void *p, bool is_signed) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    const __m128i bytes = _mm_cvtsi32_si128(four), zero = _mm_setzero_si128();
    const __m128i high = _mm_unpacklo_epi16(zero, _mm_unpacklo_epi8(zero, bytes));
    return (f32_vector)_mm_cvtepi32_ps(is_signed ? _mm_srai_epi32(high, 24)
                                                 : _mm_srli_epi32(high, 24));
}
static inline __m128i f32_whole(f32_vector v, float high) {
    return _mm_cvtps_epi32((__m128)f32_lowered(f32_repeat(high), v));
}
static inline void f32_store_bytes(void *p, const f32_vector v[4], bool is_signed) {
    const float high = is_signed ? 127 : 255;
    const __m128i first = _mm_packs_epi32(f32_whole(v[0], high), f32_whole(v[1], high));
    const __m128i second = _mm_packs_epi32(f32_whole(v[2], high), f32_whole(v[3], high));
    _mm_storeu_si128(p,
                     is_signed ? _mm_packs_epi16(first, second) : _mm_packus_epi16(first, second));
}
static inline u64_vector u8_sums(const void *p, uint8_t flip) {
    const __m128i bytes = _mm_xor_si128(_mm_loadu_si128(p), _mm_set1_epi8((char)flip));
    return (u64_vector)_mm_sad_epu8(bytes, _mm_setzero_si128());
}
#else
static inline f32_vector f32_load_bytes(const void *p, bool is_signed) {
    const uint8_t *const bytes = p;
    float numbers[F32_LANES];
    for (int i = 0; i < F32_LANES; i++) {
        numbers[i] = is_signed ? (int8_t)bytes[i] : bytes[i];
    }
    return f32_load(numbers);
}
/* Adding 1.5 * 2^23 leaves a float no bits for a fraction: its own rounding is the one to integers.
 */
static inline void f32_store_bytes(void *p, const f32_vector v[4], bool is_signed) {
    const float low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
    uint8_t *const bytes = p;
    float numbers[U8_GROUP];
    for (int k = 0; k < 4; k++) {
        f32_store(numbers + k * F32_LANES, v[k]);
    }
    for (int i = 0; i < U8_GROUP; i++) {
        const float raised = numbers[i] > low ? numbers[i] : low;
        const float limited = raised < high ? raised : high;
        const float moved = limited + 0x1.8p23f;
        bytes[i] = (uint8_t)opmill_float_bits(moved);
    }
}
#endif

#if VECTOR_BYTES != 64
static inline u64_vector u8_sums_part(const void *p, int64_t count, uint8_t flip) {
    const uint8_t *const bytes = p;
    uint64_t sums[U64_LANES] = {0};
    for (int64_t i = 0; i < count; i++) {
        sums[0] += (uint8_t)(bytes[i] ^ flip);
    }
    return u64_load(sums);
}
#endif
#if VECTOR_BYTES != 64 && VECTOR_BYTES != 32
static inline u64_vector u64_load_bytes(const void *p, bool is_signed) {
    const uint8_t *const bytes = p;
#if VECTOR_BYTES == 16
    const int8_t first = (int8_t)bytes[0], second = (int8_t)bytes[1];
    return is_signed ? (u64_vector){(uint64_t)first, (uint64_t)second}
                     : (u64_vector){bytes[0], bytes[1]};
#else
    return is_signed ? (uint64_t)(int8_t)bytes[0] : bytes[0];
#endif
}
#if !BYTES_SSE2
static inline u64_vector u8_sums(const void *p, uint8_t flip) {
    return u8_sums_part(p, U8_GROUP, flip);
}
#endif
#endif

#endif
