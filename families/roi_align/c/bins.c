/* Instantiates the bin pooling of bins_types.h for each instruction set and selects it by type. */
#include "families/roi_align/bins.h"

#include <math.h>

#include "opmill/isa.h"
#include "opmill/types.h"
#include "runtime/numbers/half.h"

#define SET baseline
#include "families/roi_align/bins_types.h"

#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define SET avx2
#include "families/roi_align/bins_types.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define SET avx512
#include "families/roi_align/bins_types.h"
OPMILL_TARGET_END
#endif

const roi_functions *opmill_roi_functions(int32_t type, int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return functions_of_avx512(type);
    }
    if (isa == OPMILL_ISA_AVX2) {
        return functions_of_avx2(type);
    }
#else
    (void)isa;
#endif
    return functions_of_baseline(type);
}
