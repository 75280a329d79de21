/* The loops over lines, for every instruction set. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "runtime/softmax/loops.h"
#include "opmill/isa.h"
#include "runtime/numbers/halves.h"
#include "runtime/numbers/used_types.h"
#include "runtime/vectors/lanes.h"
#include "runtime/math/logarithm.h"
#include "runtime/softmax/exponentials.h"

#define SET(name) name##_baseline
#include "runtime/softmax/kinds.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define SET(name) name##_avx2
#include "runtime/softmax/kinds.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define SET(name) name##_avx512
#include "runtime/softmax/kinds.h"
OPMILL_TARGET_END
#endif

const opmill_softmax_loops *opmill_softmax_loops_of(int32_t type, int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return loops_of_type_avx512(type);
    }
    if (isa == OPMILL_ISA_AVX2) {
        return loops_of_type_avx2(type);
    }
#else
    (void)isa;
#endif
    return loops_of_type_baseline(type);
}
