/* The loops of means or norms for every instruction set, and the function FINDER that finds those
 * of a type. */
#include "families/pool/pool.h"

#include <math.h>
#include <stddef.h>

#include "runtime/numbers/halves.h"
#include "runtime/numbers/used_types.h"
#include "runtime/numbers/integers.h"
#include "runtime/vectors/lanes.h"
#include "opmill/isa.h"

#define SET(name) name##_baseline
#include "families/pool/types.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define SET(name) name##_avx2
#include "families/pool/types.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define SET(name) name##_avx512
#include "families/pool/types.h"
OPMILL_TARGET_END
#endif

opmill_pool_loop *FINDER(int32_t type, bool wide, int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return loop_of_avx512(type, wide);
    }
    if (isa == OPMILL_ISA_AVX2) {
        return loop_of_avx2(type, wide);
    }
#else
    (void)isa;
#endif
    return loop_of_baseline(type, wide);
}
