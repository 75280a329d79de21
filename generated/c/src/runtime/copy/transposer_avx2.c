/* Transposing with vectors of 32 bytes. */
#include "runtime/copy/transposers.h"

#if OPMILL_X86_64

#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "opmill/types.h"

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)

#define TILE_LANES 2
#define TILE_NARROWER opmill_transposer_16
typedef __m256i tile_vector;

OPMILL_INLINE __m256i tile_load(const uint8_t *in, int64_t step) {
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)in);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(in + step));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

OPMILL_INLINE void tile_store(uint8_t *out, __m256i value) {
    _mm256_storeu_si256((__m256i *)(void *)out, value);
}

#define tile_store_around tile_store
#define tile_low_8 _mm256_unpacklo_epi8
#define tile_high_8 _mm256_unpackhi_epi8
#define tile_low_16 _mm256_unpacklo_epi16
#define tile_high_16 _mm256_unpackhi_epi16
#define tile_low_32 _mm256_unpacklo_epi32
#define tile_high_32 _mm256_unpackhi_epi32
#define tile_low_64 _mm256_unpacklo_epi64
#define tile_high_64 _mm256_unpackhi_epi64

#include "runtime/copy/transposer_narrow.h"
#include "runtime/copy/transposer_isa.h"

OPMILL_TARGET_END

const opmill_transposer opmill_transposer_avx2 = {OPMILL_ISA_AVX2, TILE_RUN, false};

#endif
