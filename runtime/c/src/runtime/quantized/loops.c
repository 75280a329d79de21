/* Instantiates the loops of loops_body.h for each instruction set and selects one of them. */
#include "loops.h"

#include <math.h>
#include <stddef.h>

#include "opmill/types.h"
#include "runtime/numbers/half.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"
#include "runtime/vectors/lanes.h"

#define LOOPS baseline
#define LOOPS_ISA OPMILL_ISA_PLAIN
#include "loops_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define LOOPS avx2
#define LOOPS_ISA OPMILL_ISA_AVX2
#include "loops_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define LOOPS avx512
#define LOOPS_ISA OPMILL_ISA_AVX512
#include "loops_body.h"
OPMILL_TARGET_END
#endif

const quantize_loops *opmill_quantize_loops_for(int32_t isa) {
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        return &avx512;
    case OPMILL_ISA_AVX2:
        return &avx2;
#endif
    default:
        return &baseline;
    }
}
