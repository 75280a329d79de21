/* Weights of 4 and 8 bits as floats, sixteen at a time, for AVX2. */
#include "families/matmul_nbits/dots.h"

#if OPMILL_X86_64

#include <immintrin.h>
#include <string.h>

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

typedef struct codes_block {
    __m256 zeros, scales;
} codes_block;

#define VECTOR __m256
#define BLOCK codes_block
#define DOTS opmill_nbits_dots_avx2
enum { PARTS = 2, LANES = 8, COLUMNS = 2 };

static inline __m256 zero(void) { return _mm256_setzero_ps(); }
static inline __m256 load(const float *p) { return _mm256_loadu_ps(p); }
static inline __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
static inline float total(__m256 v) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
static inline codes_block block_of(float zero_point, float scale) {
    const codes_block block = {_mm256_set1_ps(zero_point), _mm256_set1_ps(scale)};
    return block;
}
/* Shifting all codes by those before it puts a code and the eighth behind it lowest in the halves
 * of a lane. */
static inline __m256 widen(const uint8_t *codes, codes_block block, int part) {
    const __m256i shifts =
        part == 0 ? _mm256_setr_epi64x(0, 4, 8, 12) : _mm256_setr_epi64x(16, 20, 24, 28);
    int64_t group;
    memcpy(&group, codes, sizeof group);
    const __m256i shifted = _mm256_srlv_epi64(_mm256_set1_epi64x(group), shifts);
    const __m256 numbers = _mm256_cvtepi32_ps(_mm256_and_si256(shifted, _mm256_set1_epi32(15)));
    return _mm256_mul_ps(_mm256_sub_ps(numbers, block.zeros), block.scales);
}

#include "families/matmul_nbits/dots_body.h"

OPMILL_TARGET_END

#endif
