/* Runs of float16 and bfloat16 to float and back, for loops that are built for several instruction
 * sets: opmill_float16_widen_<set>(from, to, count), and so on, for the sets baseline, avx2 and
 * avx512. half.h says what becomes of NaNs and of ties. */
#ifndef OPMILL_HALVES_H
#define OPMILL_HALVES_H

#include <stdint.h>

#include "runtime/numbers/half.h"

#if OPMILL_X86_64
#include <immintrin.h>
#endif

static inline void opmill_float16_widen_baseline(const uint16_t *restrict from, float *restrict to,
                                                 int count) {
    for (int i = 0; i < count; i++) {
        to[i] = opmill_float16_to_float(from[i]);
    }
}

static inline void opmill_float16_narrow_baseline(const float *restrict from, uint16_t *restrict to,
                                                  int count) {
    for (int i = 0; i < count; i++) {
        to[i] = opmill_float_to_float16(from[i]);
    }
}

static inline void opmill_bfloat16_widen_baseline(const uint16_t *restrict from, float *restrict to,
                                                  int count) {
    for (int i = 0; i < count; i++) {
        to[i] = opmill_bfloat16_to_float(from[i]);
    }
}

static inline void opmill_bfloat16_narrow_baseline(const float *restrict from,
                                                   uint16_t *restrict to, int count) {
    for (int i = 0; i < count; i++) {
        const uint32_t bits = opmill_float_bits(from[i]);
        const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
        const uint32_t quiet = bits >> 16 | 0x40u;
        to[i] = (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
    }
}

#if OPMILL_X86_64
/* The processor's conversions, eight at a time; `count` is a multiple of eight. Loops of bfloat16
 * need no instruction of their own: inlined, they are built for the set of their caller. */
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)

static inline void opmill_float16_widen_avx2(const uint16_t *restrict from, float *restrict to,
                                             int count) {
    for (int i = 0; i < count; i += 8) {
        const __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(bits));
    }
}

static inline void opmill_float16_narrow_avx2(const float *restrict from, uint16_t *restrict to,
                                              int count) {
    for (int i = 0; i < count; i += 8) {
        const __m128i bits = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(to + i), bits);
    }
}

OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)

/* Sixteen at a time, then eight: whoever reads what was written reads vectors of sixteen, which a
 * processor does not forward from two halves. */
static inline void opmill_float16_widen_avx512(const uint16_t *restrict from, float *restrict to,
                                               int count) {
    int i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)(from + i));
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(bits));
    }
    for (; i < count; i += 8) {
        const __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(bits));
    }
}

static inline void opmill_float16_narrow_avx512(const float *restrict from, uint16_t *restrict to,
                                                int count) {
    int i = 0;
    for (; i + 16 <= count; i += 16) {
        /* All lanes: without optimisation, gcc 12 warns of its form without a mask. */
        const __m256i bits = _mm512_maskz_cvtps_ph((__mmask16)0xffff, _mm512_loadu_ps(from + i),
                                                   _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256((__m256i *)(void *)(to + i), bits);
    }
    for (; i < count; i += 8) {
        const __m128i bits = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(to + i), bits);
    }
}

OPMILL_TARGET_END

#define opmill_bfloat16_widen_avx2 opmill_bfloat16_widen_baseline
#define opmill_bfloat16_narrow_avx2 opmill_bfloat16_narrow_baseline
#define opmill_bfloat16_widen_avx512 opmill_bfloat16_widen_baseline
#define opmill_bfloat16_narrow_avx512 opmill_bfloat16_narrow_baseline
#endif

#endif
