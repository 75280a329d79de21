/* Instantiates the loops of factors_body.h for each instruction set, selects one of them, and
 * writes the elements of the mask. */
#include "families/dropout/factors.h"

#include <string.h>

#include "runtime/numbers/halves.h"
#include "runtime/platform/platform.h"

enum { FLOAT16_ONE = 0x3c00 };

void opmill_dropout_put(void *mask, int32_t type, int64_t i, bool is_kept) {
    switch (type) {
    case OPMILL_FLOAT:
        ((float *)mask)[i] = is_kept ? 1 : 0;
        break;
    case OPMILL_DOUBLE:
        ((double *)mask)[i] = is_kept ? 1 : 0;
        break;
    case OPMILL_FLOAT16:
        ((uint16_t *)mask)[i] = is_kept ? FLOAT16_ONE : 0;
        break;
    default:
        ((uint8_t *)mask)[i] = is_kept;
        break;
    }
}

/* Once for a run: whether each of its elements is kept. */
static void put_mask(void *mask, int32_t type, const uint8_t *is_kept, int32_t count) {
    if (type == OPMILL_BOOL) {
        memcpy(mask, is_kept, (size_t)count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        opmill_dropout_put(mask, type, i, is_kept[i] != 0);
    }
}

#define LOOPS baseline
#include "families/dropout/factors_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define LOOPS avx2
#include "families/dropout/factors_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define LOOPS avx512
#include "families/dropout/factors_body.h"
OPMILL_TARGET_END
#endif
