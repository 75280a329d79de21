/* Instantiates the passes of passes_body.h for float and double and each instruction set, selects
 * one set of them, and copies rows of selected elements. */
#include "families/resize/passes.h"

#include <string.h>

#include "opmill/isa.h"
#include "runtime/numbers/halves.h"

enum { RESIZE_BLOCK = 512 }; /* results that stay in the first-level cache */

/* Conversions of any count: the processor's take eight at a time. */
#define DEFINE_CONVERSIONS(type, set)                                                        \
    static void type##_widen_##set(const uint16_t *from, float *to, int64_t count) {         \
        int64_t i = 0;                                                                       \
        for (; i + 64 <= count; i += 64) {                                                   \
            opmill_##type##_widen_##set(from + i, to + i, 64);                               \
        }                                                                                    \
        opmill_##type##_widen_baseline(from + i, to + i, (int)(count - i));                  \
    }                                                                                        \
    static void type##_narrow_##set(const float *from, uint16_t *to, int64_t count) {        \
        int64_t i = 0;                                                                       \
        for (; i + 64 <= count; i += 64) {                                                   \
            opmill_##type##_narrow_##set(from + i, to + i, 64);                              \
        }                                                                                    \
        opmill_##type##_narrow_baseline(from + i, to + i, (int)(count - i));                 \
    }

#define DEFINE_FUNCTIONS(set)                                         \
    DEFINE_CONVERSIONS(float16, set)                                  \
    DEFINE_CONVERSIONS(bfloat16, set)                                 \
    static const resize_functions functions_##set = {                 \
        floats_##set##_rows,                                          \
        doubles_##set##_rows,                                         \
        {float16_widen_##set, bfloat16_widen_##set},                  \
        {float16_narrow_##set, bfloat16_narrow_##set},                \
    };

#define REAL float
#define NAME(x) floats_baseline_##x
#include "families/resize/passes_body.h"
#define REAL double
#define NAME(x) doubles_baseline_##x
#include "families/resize/passes_body.h"
DEFINE_FUNCTIONS(baseline)

#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define REAL float
#define NAME(x) floats_avx2_##x
#include "families/resize/passes_body.h"
#define REAL double
#define NAME(x) doubles_avx2_##x
#include "families/resize/passes_body.h"
DEFINE_FUNCTIONS(avx2)
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define REAL float
#define NAME(x) floats_avx512_##x
#include "families/resize/passes_body.h"
#define REAL double
#define NAME(x) doubles_avx512_##x
#include "families/resize/passes_body.h"
DEFINE_FUNCTIONS(avx512)
OPMILL_TARGET_END
#endif

const resize_functions *opmill_resize_functions(int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return &functions_avx512;
    }
    if (isa == OPMILL_ISA_AVX2) {
        return &functions_avx2;
    }
#else
    (void)isa;
#endif
    return &functions_baseline;
}

#define COPY_ELEMENTS(size)                                                                \
    for (int64_t i = 0; i < count; i++) {                                                  \
        memcpy(to + i * (size), from + at[i] * (size), (size_t)(size));                    \
    }

/* One row of selected elements. */
static void copy_elements(const char *from, const int64_t *at, char *to, int64_t count,
                          int64_t bytes) {
    switch (bytes) {
    case 1:
        COPY_ELEMENTS(1)
        break;
    case 2:
        COPY_ELEMENTS(2)
        break;
    case 4:
        COPY_ELEMENTS(4)
        break;
    case 8:
        COPY_ELEMENTS(8)
        break;
    default:
        COPY_ELEMENTS(16)
        break;
    }
}

void opmill_resize_copy_rows(const resize_pass *pass, const void *from, void *to, int64_t row,
                             int64_t count) {
    const resize_axis *const axis = pass->axis;
    const int64_t bytes = pass->bytes, slice = pass->inner * bytes;
    for (int64_t r = row; r < row + count; r++) {
        if (pass->inner == 1) {
            copy_elements((const char *)from + r * axis->in * bytes, axis->at,
                          (char *)to + r * axis->count * bytes, axis->count, bytes);
        } else {
            const int64_t outer = r / axis->count, at = axis->at[r % axis->count];
            memcpy((char *)to + r * slice, (const char *)from + (outer * axis->in + at) * slice,
                   (size_t)slice);
        }
    }
}
