/* Instantiates the scans of scan_sets.h for each instruction set, adds those for strings, and
 * selects one by element width. */
#include "families/non_zero/scan.h"

#include <string.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

enum widths { BITS_8, BITS_16, BITS_32, BITS_64, BITS_32_PAIR, BITS_64_PAIR };

#define SET(name) name##_baseline
#include "scan_sets.h"

#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define SET(name) name##_avx2
#include "scan_sets.h"
OPMILL_TARGET_END

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define SET(name) name##_avx512
#include "scan_sets.h"
OPMILL_TARGET_END
#endif

static int64_t count_texts(const void *data, int64_t count, uint64_t mask) {
    const char *const *const texts = data;
    int64_t total = 0;
    (void)mask;
    for (int64_t k = 0; k < count; k++) {
        total += texts[k][0] != '\0';
    }
    return total;
}

static int64_t find_texts(const void *data, int64_t count, uint64_t mask, int64_t first,
                          int64_t *to, int64_t capacity) {
    const char *const *const texts = data;
    int64_t found = 0;
    (void)mask;
    for (int64_t k = 0; k < count && found < capacity; k++) {
        to[found] = first + k;
        found += texts[k][0] != '\0';
    }
    return found;
}

static non_zero_scan of_width(enum widths width, uint64_t mask, int32_t isa) {
    non_zero_scan scan = SCANS_baseline[width];
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        scan = SCANS_avx512[width];
    } else if (isa == OPMILL_ISA_AVX2) {
        scan = SCANS_avx2[width];
    }
#else
    (void)isa;
#endif
    scan.mask = mask;
    return scan;
}

non_zero_scan opmill_non_zero_scan(int32_t type, int32_t isa) {
    const uint64_t all = UINT64_MAX;
    switch (type) {
    case OPMILL_INT16:
    case OPMILL_UINT16:
        return of_width(BITS_16, all, isa);
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16:
        return of_width(BITS_16, 0x7fff, isa);
    case OPMILL_INT32:
    case OPMILL_UINT32:
        return of_width(BITS_32, all, isa);
    case OPMILL_FLOAT:
        return of_width(BITS_32, 0x7fffffff, isa);
    case OPMILL_INT64:
    case OPMILL_UINT64:
        return of_width(BITS_64, all, isa);
    case OPMILL_DOUBLE:
        return of_width(BITS_64, all >> 1, isa);
    case OPMILL_COMPLEX64:
        return of_width(BITS_32_PAIR, 0x7fffffff, isa);
    case OPMILL_COMPLEX128:
        return of_width(BITS_64_PAIR, all >> 1, isa);
    case OPMILL_STRING:
        return (non_zero_scan){count_texts, find_texts, 0, (int64_t)sizeof(const char *)};
    default: /* bool, int8 and uint8 */
        return of_width(BITS_8, all, isa);
    }
}
