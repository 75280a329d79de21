/* Weights of 4 and 8 bits as floats, sixteen at a time, for AVX2. */
#include "weights.h"

#if OPMILL_X86_64

#include <immintrin.h>

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)

/* Sixteen codes, a byte each, as floats. */
static inline void store_sixteen(__m128i bytes, __m256 zero, __m256 scale, float *to) {
    const __m256 low = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
    const __m256 high = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8)));
    _mm256_storeu_ps(to, _mm256_mul_ps(_mm256_sub_ps(low, zero), scale));
    _mm256_storeu_ps(to + 8, _mm256_mul_ps(_mm256_sub_ps(high, zero), scale));
}

void opmill_nbits_widen_4_avx2(const nbits_row *row, float *to) {
    const __m128i four_bits = _mm_set1_epi8(15);
    const uint8_t *codes = row->codes;
    for (int64_t n = 0; n < row->blocks; n++) {
        const __m256 zeros = _mm256_set1_ps(row->zeros[n]), scales = _mm256_set1_ps(row->scales[n]);
        for (int64_t i = 0; i < row->block; i += 16, codes += 8, to += 16) {
            const __m128i pairs = _mm_loadl_epi64((const __m128i *)(const void *)codes);
            const __m128i low = _mm_and_si128(pairs, four_bits);
            const __m128i high = _mm_and_si128(_mm_srli_epi16(pairs, 4), four_bits);
            store_sixteen(_mm_unpacklo_epi8(low, high), zeros, scales, to);
        }
    }
}

void opmill_nbits_widen_8_avx2(const nbits_row *row, float *to) {
    const uint8_t *codes = row->codes;
    for (int64_t n = 0; n < row->blocks; n++) {
        const __m256 zeros = _mm256_set1_ps(row->zeros[n]), scales = _mm256_set1_ps(row->scales[n]);
        for (int64_t i = 0; i < row->block; i += 16, codes += 16, to += 16) {
            store_sixteen(_mm_loadu_si128((const __m128i *)(const void *)codes), zeros, scales, to);
        }
    }
}

OPMILL_TARGET_END

#endif
