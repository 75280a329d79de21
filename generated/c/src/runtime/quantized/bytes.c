/* Selects the loops over bytes by instruction set. */
#include "runtime/quantized/bytes.h"

#include "opmill/types.h"
#include "runtime/platform/platform.h"

const byte_loops *opmill_byte_loops_for(int32_t isa) {
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        return &opmill_byte_loops_avx512;
    case OPMILL_ISA_AVX2:
        return &opmill_byte_loops_avx2;
#endif
    case OPMILL_ISA_PLAIN:
        return &opmill_byte_loops_plain;
    default:
        return OPMILL_BYTES_BASELINE ? &opmill_byte_loops_baseline : &opmill_byte_loops_plain;
    }
}
