/* Weights of 4 and 8 bits as floats, sixteen at a time, for AVX-512. */
#include "weights.h"

#if OPMILL_X86_64

#include <immintrin.h>

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)

/* All sixteen values of a code are in one vector, from which codes select. */
void opmill_nbits_widen_4_avx512(const nbits_row *row, float *to) {
    const __m512 all = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i halves = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m512i shifts =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    const uint8_t *codes = row->codes;
    for (int64_t n = 0; n < row->blocks; n++) {
        const __m512 values = _mm512_mul_ps(_mm512_sub_ps(all, _mm512_set1_ps(row->zeros[n])),
                                            _mm512_set1_ps(row->scales[n]));
        for (int64_t i = 0; i < row->block; i += 16, codes += 8, to += 16) {
            const __m128i pairs = _mm_loadl_epi64((const __m128i *)(const void *)codes);
            const __m512i spread = _mm512_permutexvar_epi32(halves, _mm512_castsi128_si512(pairs));
            /* A selection looks at the low four bits alone. */
            const __m512i selected = _mm512_srlv_epi32(spread, shifts);
            _mm512_storeu_ps(to, _mm512_permutexvar_ps(selected, values));
        }
    }
}

void opmill_nbits_widen_8_avx512(const nbits_row *row, float *to) {
    const uint8_t *codes = row->codes;
    for (int64_t n = 0; n < row->blocks; n++) {
        const __m512 zeros = _mm512_set1_ps(row->zeros[n]), scales = _mm512_set1_ps(row->scales[n]);
        for (int64_t i = 0; i < row->block; i += 16, codes += 16, to += 16) {
            const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)codes);
            const __m512 numbers = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
            _mm512_storeu_ps(to, _mm512_mul_ps(_mm512_sub_ps(numbers, zeros), scales));
        }
    }
}

OPMILL_TARGET_END

#endif
