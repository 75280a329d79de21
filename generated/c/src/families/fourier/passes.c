/* Instantiates the passes of passes_body.h for each instruction set, with the constants for radix 3
 * and 5, and selects one set of them. */
#include "families/fourier/passes.h"

#include "opmill/isa.h"
#include "runtime/platform/platform.h"

#define SIN_3 0.86602540378443864676   /* of a third of a turn */
#define COS_5_1 0.30901699437494742410 /* of a fifth of a turn, and of two */
#define COS_5_2 -0.80901699437494742410
#define SIN_5_1 0.95105651629515357212
#define SIN_5_2 0.58778525229247312917

#define NAME(x) baseline_##x
#include "families/fourier/passes_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define NAME(x) avx2_##x
#include "families/fourier/passes_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define NAME(x) avx512_##x
#include "families/fourier/passes_body.h"
OPMILL_TARGET_END
#endif

const fourier_functions *opmill_fourier_functions(int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return &avx512_functions;
    }
    if (isa == OPMILL_ISA_AVX2) {
        return &avx2_functions;
    }
#else
    (void)isa;
#endif
    return &baseline_functions;
}
