/* Instantiates the loops of numbers_body.h for each instruction set and selects one of them. */
#include "families/random_numbers/numbers.h"

#include <string.h>

#include "runtime/numbers/halves.h"
#include "runtime/numbers/normal_numbers.h"
#include "runtime/platform/platform.h"
#include "runtime/numbers/random_numbers.h"

#define LOOPS baseline
#include "families/random_numbers/numbers_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define LOOPS avx2
#include "families/random_numbers/numbers_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define LOOPS avx512
#include "families/random_numbers/numbers_body.h"
OPMILL_TARGET_END
#endif
