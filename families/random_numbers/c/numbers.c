#include "families/random_numbers/numbers.h"

#include <string.h>

#include "runtime/halves.h"
#include "runtime/normal_numbers.h"
#include "runtime/platform.h"
#include "runtime/random_numbers.h"

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
