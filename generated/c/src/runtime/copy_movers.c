/* The movers without shuffles, and the choice among all. */
#include "runtime/copy_movers.h"

#include <string.h>

#include "runtime/isa.h"

#if OPMILL_X86_64
#include <emmintrin.h>
#endif

static void stream_plain(uint8_t *out, const uint8_t *in, size_t bytes) {
    memcpy(out, in, bytes);
}

static void settle_plain(void) {
}

const opmill_mover opmill_mover_plain = {
    OPMILL_ISA_PLAIN, 0, 0, false, NULL, stream_plain, settle_plain,
};

#if OPMILL_X86_64
static void stream_sse2(uint8_t *out, const uint8_t *in, size_t bytes) {
    size_t head = (size_t)(-(uintptr_t)out % 64);
    if (bytes < 256) {
        memcpy(out, in, bytes);
        return;
    }
    memcpy(out, in, head);
    for (; bytes - head >= 64; head += 64) {
        for (size_t i = 0; i < 64; i += 16) {
            __m128i value = _mm_loadu_si128((const __m128i *)(const void *)(in + head + i));
            _mm_stream_si128((__m128i *)(void *)(out + head + i), value);
        }
    }
    memcpy(out + head, in + head, bytes - head);
}

static void settle_sse2(void) {
    _mm_sfence();
}

const opmill_mover opmill_mover_sse2 = {
    OPMILL_ISA_BASELINE, 0, 0, true, NULL, stream_sse2, settle_sse2,
};
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
