/* Moves of 32 bytes, from two windows of 16. */
#include "runtime/copy/copy_movers.h"

#if OPMILL_X86_64

#include <immintrin.h>
#include <string.h>

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)

#define MOVER_WIDTH 32
typedef __m256i mover_vector;

OPMILL_INLINE __m256i mover_load(const uint8_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

OPMILL_INLINE void mover_store(uint8_t *to, __m256i value) {
    _mm256_storeu_si256((__m256i *)(void *)to, value);
}

OPMILL_INLINE void mover_store_around(uint8_t *to, __m256i value) {
    _mm256_stream_si256((__m256i *)(void *)to, value);
}

OPMILL_INLINE __m256i mover_shuffle(const uint8_t *in, const opmill_move *move,
                                    const uint8_t *shuffles) {
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(in + move->from[0]));
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(in + move->from[1]));
    __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    return _mm256_shuffle_epi8(both, mover_load(shuffles));
}

#include "runtime/copy/copy_mover_isa.h"

OPMILL_TARGET_END

const opmill_mover opmill_mover_avx2 = {OPMILL_ISA_AVX2, 16,    2,     run, rows,
                                        MOVER_WIDTH,     lines, settle};

#endif
