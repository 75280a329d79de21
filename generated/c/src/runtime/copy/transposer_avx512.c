/* Transposing with vectors of 64 bytes: whole cache lines of the destination. */
#include "runtime/copy/transposers.h"

#if OPMILL_X86_64

#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "opmill/types.h"

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)

#define TILE_LANES 4
#define TILE_NARROWER opmill_transposer_avx2
typedef __m512i tile_vector;

OPMILL_INLINE __m128i tile_row(const uint8_t *in) {
    return _mm_loadu_si128((const __m128i *)(const void *)in);
}

OPMILL_INLINE __m512i tile_load(const uint8_t *in, int64_t step) {
    const __m256i low =
        _mm256_inserti128_si256(_mm256_castsi128_si256(tile_row(in)), tile_row(in + step), 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(tile_row(in + 2 * step)),
                                                 tile_row(in + 3 * step), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

OPMILL_INLINE void tile_store(uint8_t *out, __m512i value) {
    _mm512_storeu_si512((void *)out, value);
}

OPMILL_INLINE void tile_store_around(uint8_t *out, __m512i value) {
    _mm512_stream_si512((void *)out, value);
}

#define tile_low_8 _mm512_unpacklo_epi8
#define tile_high_8 _mm512_unpackhi_epi8
#define tile_low_16 _mm512_unpacklo_epi16
#define tile_high_16 _mm512_unpackhi_epi16
#define tile_low_32 _mm512_unpacklo_epi32
#define tile_high_32 _mm512_unpackhi_epi32
#define tile_low_64 _mm512_unpacklo_epi64
#define tile_high_64 _mm512_unpackhi_epi64

#include "runtime/copy/transposer_narrow.h"
#include "runtime/copy/transposer_isa.h"

OPMILL_TARGET_END

const opmill_transposer opmill_transposer_avx512 = {OPMILL_ISA_AVX512, TILE_RUN, true};

#endif
