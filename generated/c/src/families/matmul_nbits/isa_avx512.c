/* Weights of 4 and 8 bits as floats, sixteen at a time, for AVX-512. */
#include "families/matmul_nbits/dots.h"

#if OPMILL_X86_64

#include <immintrin.h>
#include <string.h>

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

#define VECTOR __m512
#define BLOCK __m512 /* the values of all sixteen codes */
#define DOTS opmill_nbits_dots_avx512
enum { PARTS = 1, LANES = 16, COLUMNS = 4 };

static inline __m512 zero(void) { return _mm512_setzero_ps(); }
static inline __m512 load(const float *p) { return _mm512_loadu_ps(p); }
static inline __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
static inline float total(__m512 v) {
    const __m256 high = _mm512_extractf32x8_ps(v, 1);
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v), high);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
static inline __m512 block_of(float zero_point, float scale) {
    const __m512 all = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_mul_ps(_mm512_sub_ps(all, _mm512_set1_ps(zero_point)), _mm512_set1_ps(scale));
}
/* Shifting all codes by those before it puts a code and the eighth behind it lowest in the halves
 * of a lane; a selection looks at their low four bits alone. */
static inline __m512 widen(const uint8_t *codes, __m512 values, int part) {
    const __m512i shifts = _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28);
    int64_t group;
    (void)part;
    memcpy(&group, codes, sizeof group);
    return _mm512_permutexvar_ps(_mm512_srlv_epi64(_mm512_set1_epi64(group), shifts), values);
}

#include "families/matmul_nbits/dots_body.h"

OPMILL_TARGET_END

#endif
