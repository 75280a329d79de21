/* Converts elements to unsigned keys, 32 or 64 bits wide, with vector loops for each instruction
 * set; columns are transposed into rows on the way. */
#include "families/top_k/keys.h"

#include <stddef.h>
#include <string.h>

#include "opmill/isa.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/platform.h"

typedef void read_function(const void *from, int64_t count, const top_k_keys *keys, void *to);

typedef struct top_k_loops {
    read_function *whole[2][4], *real[2][4];
    int64_t (*skip[2])(const void *keys, int64_t first, int64_t count, uint64_t limit);
} top_k_loops;

#define SET(name) name##_baseline
#include "families/top_k/keys_sets.h"

#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define SET(name) name##_avx2
#include "families/top_k/keys_sets.h"
OPMILL_TARGET_END

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define SET(name) name##_avx512
#include "families/top_k/keys_sets.h"
OPMILL_TARGET_END
#endif

static const top_k_loops *loops_of(int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return &LOOPS_avx512;
    }
    if (isa == OPMILL_ISA_AVX2) {
        return &LOOPS_avx2;
    }
#else
    (void)isa;
#endif
    return &LOOPS_baseline;
}

/* Of integers 0. */
static uint64_t infinity_of(int32_t type) {
    switch (type) {
    case OPMILL_FLOAT16:
        return 0x7c00;
    case OPMILL_BFLOAT16:
        return 0x7f80;
    case OPMILL_FLOAT:
        return 0x7f800000;
    case OPMILL_DOUBLE:
        return UINT64_C(0x7ff0000000000000);
    default:
        return 0;
    }
}

static bool is_signed(int32_t type) {
    return type == OPMILL_INT8 || type == OPMILL_INT16 || type == OPMILL_INT32 ||
           type == OPMILL_INT64;
}

top_k_keys opmill_top_k_keys(int32_t type, bool largest, int64_t length, int32_t isa) {
    const top_k_loops *const loops = loops_of(isa);
    const int32_t bytes = opmill_type_bytes(type);
    const int width = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    top_k_keys keys = {.infinity = infinity_of(type), .width = 8 * bytes};
    keys.flip = largest ? UINT64_MAX : 0;
    if (is_signed(type)) {
        keys.flip ^= (uint64_t)1 << (keys.width - 1);
    }
    keys.is_wide = bytes == 8 || length > (int64_t)UINT32_MAX;
    keys.read = (keys.infinity != 0 ? loops->real : loops->whole)[keys.is_wide][width];
    keys.skip = loops->skip[keys.is_wide];
    return keys;
}

enum { ROWS = OPMILL_ON_STACK(16, 8) /* that are read before their columns are written */ };

#define WRITE_COLUMNS(KEY)                                                        \
    for (int64_t first = 0; first < length; first += ROWS) {                      \
        const int64_t rows = opmill_min(ROWS, length - first);                    \
        KEY block[ROWS][TOP_K_COLUMNS];                                           \
        for (int64_t i = 0; i < rows; i++) {                                      \
            keys->read(from + (first + i) * row_bytes, columns, keys, block[i]);  \
        }                                                                         \
        for (int64_t k = 0; k < columns; k++) {                                   \
            KEY *const column = (KEY *)to + k * length + first;                   \
            for (int64_t i = 0; i < rows; i++) {                                  \
                column[i] = block[i][k];                                          \
            }                                                                     \
        }                                                                         \
    }

void opmill_top_k_read_columns(const top_k_keys *keys, const unsigned char *from, int64_t row_bytes,
                               int64_t length, int64_t columns, void *to) {
    if (keys->is_wide) {
        WRITE_COLUMNS(uint64_t)
    } else {
        WRITE_COLUMNS(uint32_t)
    }
}
