/* Selects the conversion loops by instruction set. Packs elements of less than 8 bits and unpacks
 * them to one byte each. */
#include "loops.h"

#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"

const cast_loops *opmill_cast_loops_for(int32_t isa) {
    switch (opmill_isa_select(isa)) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        return &opmill_cast_loops_avx512;
    case OPMILL_ISA_AVX2:
        return &opmill_cast_loops_avx2;
#endif
    default:
        return &opmill_cast_loops_plain;
    }
}

void opmill_cast_unpack(uint8_t *out, const uint8_t *in, int64_t count, int32_t bits) {
    const unsigned mask = (1u << bits) - 1;
    unsigned waiting = 0;
    int32_t have = 0;
    for (int64_t i = 0; i < count; i++) {
        if (have < bits) {
            waiting |= (unsigned)*in++ << have;
            have += 8;
        }
        out[i] = (uint8_t)(waiting & mask);
        waiting >>= bits;
        have -= bits;
    }
}

void opmill_cast_pack(uint8_t *out, const uint8_t *in, int64_t count, int32_t bits) {
    unsigned waiting = 0;
    int32_t have = 0;
    for (int64_t i = 0; i < count; i++) {
        waiting |= (unsigned)in[i] << have;
        have += bits;
        if (have >= 8) {
            *out++ = (uint8_t)waiting;
            waiting >>= 8;
            have -= 8;
        }
    }
    if (have > 0) {
        *out = (uint8_t)waiting;
    }
}
