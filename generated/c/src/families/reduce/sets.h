/* The loops of one operation for every instruction set, and the function FINDER that finds those of
 * a kind. kinds.h says what the source that includes this defines. */
#include "families/reduce/walk.h"

#include <math.h>
#include <stddef.h>

#include "opmill/isa.h"
#include "runtime/numbers/halves.h"
#include "runtime/numbers/used_types.h"
#include "runtime/vectors/lanes.h"

#define SET(name) name##_baseline
#include "families/reduce/kinds.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define SET(name) name##_avx2
#include "families/reduce/kinds.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define SET(name) name##_avx512
#include "families/reduce/kinds.h"
OPMILL_TARGET_END
#endif

const opmill_reduce_loops *FINDER(opmill_reduce_kind kind, int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return loops_of_avx512(kind);
    }
    if (isa == OPMILL_ISA_AVX2) {
        return loops_of_avx2(kind);
    }
#else
    (void)isa;
#endif
    return loops_of_baseline(kind);
}
