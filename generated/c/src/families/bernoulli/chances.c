/* Instantiates the loops of chances_body.h for each instruction set and selects one of them. */
#include "families/bernoulli/chances.h"

#include <string.h>

#include "runtime/numbers/halves.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"
#include "runtime/numbers/random_numbers.h"

#define LOOPS baseline
#include "families/bernoulli/chances_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define LOOPS avx2
#include "families/bernoulli/chances_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define LOOPS avx512
#include "families/bernoulli/chances_body.h"
OPMILL_TARGET_END
#endif

bernoulli_loops opmill_bernoulli_loops(int32_t isa) {
    const bernoulli_loops baseline = {compute_baseline, check_baseline};
#if OPMILL_X86_64
    const bernoulli_loops avx2 = {compute_avx2, check_avx2};
    const bernoulli_loops avx512 = {compute_avx512, check_avx512};
    return isa == OPMILL_ISA_AVX512 ? avx512 : isa == OPMILL_ISA_AVX2 ? avx2 : baseline;
#else
    (void)isa;
    return baseline;
#endif
}
