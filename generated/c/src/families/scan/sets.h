/* The loops of one operation for every instruction set, and the function FINDER that finds those of
 * a type. The file that includes this defines COMBINE(a, b), and IDENTITY, what no elements give.
 */
#include "families/scan/scan.h"

#include <stddef.h>

#include "opmill/isa.h"
#include "runtime/numbers/halves.h"
#include "runtime/numbers/used_types.h"
#include "runtime/numbers/integers.h"

#define SET(name) name##_baseline
#include "families/scan/types.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define SET(name) name##_avx2
#include "families/scan/types.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define SET(name) name##_avx512
#include "families/scan/types.h"
OPMILL_TARGET_END
#endif

opmill_scan_loop *FINDER(int32_t type, int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return loop_of_avx512(type);
    }
    if (isa == OPMILL_ISA_AVX2) {
        return loop_of_avx2(type);
    }
#else
    (void)isa;
#endif
    return loop_of_baseline(type);
}
