/* The movers without shuffles, and the choice among all. */
#include "runtime/copy/copy_movers.h"

#include "runtime/platform/isa.h"

#if OPMILL_X86_64
#include <emmintrin.h>
#endif

const opmill_mover opmill_mover_plain = {OPMILL_ISA_PLAIN, 0, 0, NULL, NULL, 0, NULL, NULL};

#if OPMILL_X86_64
static void lines_sse2(uint8_t *out, const uint8_t *in, size_t count) {
    for (size_t i = 0; i < count * OPMILL_LINE_BYTES; i += sizeof(__m128i)) {
        const __m128i value = _mm_loadu_si128((const __m128i *)(const void *)(in + i));
        _mm_stream_si128((__m128i *)(void *)(out + i), value);
    }
}

static void settle_sse2(void) { _mm_sfence(); }

const opmill_mover opmill_mover_sse2 = {OPMILL_ISA_BASELINE, 0,          0, NULL, NULL, 0,
                                        lines_sse2,          settle_sse2};
#endif

const opmill_mover *opmill_mover_for(int32_t isa) {
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_BASELINE:
        return &opmill_mover_sse2;
    case OPMILL_ISA_AVX2:
        return &opmill_mover_avx2;
    case OPMILL_ISA_AVX512:
        return opmill_isa_has_vbmi() ? &opmill_mover_avx512 : &opmill_mover_avx2;
#endif
#if OPMILL_NEON
    case OPMILL_ISA_NEON:
        return &opmill_mover_neon;
#endif
    default:
        return &opmill_mover_plain;
    }
}
