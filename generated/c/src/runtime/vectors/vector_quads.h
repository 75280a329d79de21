/* Elements of four bytes for AVX-512 VNNI: of a factor they are unsigned, of a vector beside it
 * signed, and the sum of the four products is added. Sums are u32. The file that includes this has
 * included vector_avx512.h and vector_integers.h; functions from here to QUADS_END run only where
 * opmill_isa_has_vnni says so. */
#ifndef OPMILL_VECTOR_QUADS_H
#define OPMILL_VECTOR_QUADS_H

#include "runtime/platform/platform.h"

OPMILL_TARGET_BEGIN(OPMILL_SETS_VNNI)

#define QUADS_END OPMILL_TARGET_END

#define q8_zero u32_zero
#define q8_load u32_load
#define q8_store u32_store
#define q8_repeat u32_repeat
#define q8_zip_low u32_zip_low
#define q8_zip_high u32_zip_high
static inline u32_vector q8_fma(u32_vector bytes, u32_vector factor, u32_vector sum) {
    return (u32_vector)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)factor, (__m512i)bytes);
}

static inline void q8_store_part(void *p, u32_vector v, int64_t count) {
    _mm512_mask_storeu_epi32(p, (__mmask16) ~(0xffffu << count), (__m512i)v);
}

/* A mask of the first bytes, up to a whole vector. */
static inline __mmask64 q8_first_bytes(int64_t count) {
    return count < 64 ? ((__mmask64)1 << count) - 1 : ~(__mmask64)0;
}
/* `count` bytes, of which there are at most as many as lanes. */
static inline void q8_copy_bytes(void *to, const void *from, int64_t count) {
    const __mmask16 mask = (__mmask16) ~(0xffffu << count);
    _mm_storeu_si128(to, _mm_maskz_loadu_epi8(mask, from));
}
/* At least `count` bytes; whole vectors are written. */
static inline void q8_fill_bytes(uint8_t *to, int64_t count, uint8_t value) {
    for (int64_t i = 0; i < count; i += 64) {
        _mm512_storeu_si512(to + i, _mm512_set1_epi8((char)value));
    }
}
/* `count` bytes of `from`, `step` apart, then `rest` up to a whole vector; the number of bytes
 * that are written. */
static inline int64_t q8_copy_steps(uint8_t *to, const uint8_t *from, int64_t step, int64_t count,
                                    uint8_t rest) {
    const __m512i filled = _mm512_set1_epi8((char)rest);
    int64_t i = 0;
    for (; i < count; i += 64) {
        const int64_t left = count - i < 64 ? count - i : 64;
        const uint8_t *const at = from + i * step;
        __m512i bytes;
        if (step == 1) {
            bytes = _mm512_maskz_loadu_epi8(q8_first_bytes(left), at);
        } else if (step == 2) {
            const int64_t size = 2 * left - 1, high = size > 64 ? size - 64 : 0;
            const __m512i first = _mm512_maskz_loadu_epi8(q8_first_bytes(size), at);
            const __m512i second = _mm512_maskz_loadu_epi8(q8_first_bytes(high), at + size - high);
            bytes = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi16_epi8(first)),
                                       _mm512_cvtepi16_epi8(second), 1);
        } else {
            uint8_t picked[64] = {0};
            for (int64_t k = 0; k < left; k++) {
                picked[k] = at[k * step];
            }
            bytes = _mm512_loadu_si512(picked);
        }
        _mm512_storeu_si512(to + i, _mm512_mask_blend_epi8(q8_first_bytes(left), filled, bytes));
    }
    return i;
}
/* Elements of a byte of each of four places, the first in the lowest one. */
static inline u32_vector q8_join(const void *a, const void *b, const void *c, const void *d) {
    const __m512i by_lane = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i by_byte =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m512i bytes = _mm512_castsi128_si512(_mm_loadu_si128(a));
    bytes = _mm512_inserti32x4(bytes, _mm_loadu_si128(b), 1);
    bytes = _mm512_inserti32x4(bytes, _mm_loadu_si128(c), 2);
    bytes = _mm512_inserti32x4(bytes, _mm_loadu_si128(d), 3);
    bytes = _mm512_permutexvar_epi32(by_lane, bytes);
    return (u32_vector)_mm512_shuffle_epi8(bytes, by_byte);
}
/* Elements of four adjacent bytes that begin a byte, or two, after those before. Some bytes behind
 * them are read, up to a whole vector. */
static inline u32_vector q8_windows(const void *p) {
    const __m512i by_lane = _mm512_setr_epi32(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6);
    const __m512i by_byte =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6));
    const __m512i bytes = _mm512_castsi256_si512(_mm256_loadu_si256(p));
    return (u32_vector)_mm512_shuffle_epi8(_mm512_permutexvar_epi32(by_lane, bytes), by_byte);
}
static inline u32_vector q8_windows_2(const void *p) {
    const __m512i by_lane = _mm512_setr_epi64(0, 1, 1, 2, 2, 3, 3, 4);
    const __m512i by_byte =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9));
    const __m512i bytes = _mm512_loadu_si512(p);
    return (u32_vector)_mm512_shuffle_epi8(_mm512_permutexvar_epi64(by_lane, bytes), by_byte);
}
/* Signed sums times a factor, to the nearest, ties to even, plus `zero`, held between `low` and
 * `high`, as bytes; NaN becomes `low`. Stores the first `count`. */
static inline void q8_store_rescaled(void *p, u32_vector sums, float factor, float zero, float low,
                                     float high, int64_t count) {
    const __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps((__m512i)sums), _mm512_set1_ps(factor));
    const __m512 raised = _mm512_max_ps(scaled, _mm512_set1_ps(low - zero));
    const __m512 limited = _mm512_min_ps(raised, _mm512_set1_ps(high - zero));
    const __m512i whole =
        _mm512_add_epi32(_mm512_cvtps_epi32(limited), _mm512_set1_epi32((int32_t)zero));
    const __m128i bytes = _mm512_cvtepi32_epi8(whole);
    if (count == U32_LANES) {
        _mm_storeu_si128(p, bytes);
    } else {
        _mm_mask_storeu_epi8(p, (__mmask16) ~(0xffffu << count), bytes);
    }
}

#define REAL uint32_t
#define VECTOR u32_vector
#define LANES U32_LANES
#define OP(operation) q8_##operation
#define NAME(function) opmill_##function##_q8_avx512
#define UNROLLED OPMILL_UNROLLED
#define HAS_HALF_TYPES 0
#define IS_INTEGER 1
#define IS_PACKED 1
#define TERMS 4

#endif
