/* Moves of 64 bytes, from a window of 64: AVX-512 with VBMI. */
#include "runtime/copy/copy_movers.h"

#if OPMILL_X86_64

#include <immintrin.h>
#include <string.h>

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512 ",avx512vbmi")

#define MOVER_WIDTH 64
typedef __m512i mover_vector;

OPMILL_INLINE __m512i mover_load(const uint8_t *from) {
    return _mm512_loadu_si512((const void *)from);
}

OPMILL_INLINE void mover_store(uint8_t *to, __m512i value) {
    _mm512_storeu_si512((void *)to, value);
}

OPMILL_INLINE void mover_store_around(uint8_t *to, __m512i value) {
    _mm512_stream_si512((void *)to, value);
}

OPMILL_INLINE __m512i mover_shuffle(const uint8_t *in, const opmill_move *move,
                                    const uint8_t *shuffles) {
    return _mm512_permutexvar_epi8(mover_load(shuffles), mover_load(in + move->from[0]));
}

#include "runtime/copy/copy_mover_isa.h"

OPMILL_TARGET_END

const opmill_mover opmill_mover_avx512 = {OPMILL_ISA_AVX512, 64,    1,     run, rows,
                                          MOVER_WIDTH,       lines, settle};

#endif
