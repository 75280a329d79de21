/* Instantiates the fast sampling loops for each type and instruction set and selects those that an
 * image can use. Also copies the elements of nearest sampling. */
#include "families/grid_sample/direct.h"

#include <math.h>
#include <string.h>

#include "opmill/isa.h"
#include "runtime/numbers/half.h"
#include "runtime/numbers/reals.h"

#define AS_IT_IS(x) (x)

#define NAME(x) baseline_##x
#include "families/grid_sample/direct_body.h"
#define TYPE float
#define REAL float
#define WEIGHTS floats
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) float_baseline_##x
#include "families/grid_sample/direct_sums_body.h"
#define TYPE double
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) double_baseline_##x
#include "families/grid_sample/direct_sums_body.h"
#define TYPE uint16_t
#define REAL float
#define WEIGHTS floats
#define LOAD opmill_float16_to_float
#define STORE opmill_float_to_float16
#define NAME(x) float16_##x
#include "families/grid_sample/direct_sums_body.h"
#define TYPE uint16_t
#define REAL float
#define WEIGHTS floats
#define LOAD opmill_bfloat16_to_float
#define STORE opmill_float_to_bfloat16
#define NAME(x) bfloat16_##x
#include "families/grid_sample/direct_sums_body.h"

#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define NAME(x) avx2_##x
#include "families/grid_sample/direct_body.h"
#define TYPE float
#define REAL float
#define WEIGHTS floats
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) float_avx2_##x
#include "families/grid_sample/direct_sums_body.h"
#define TYPE double
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) double_avx2_##x
#include "families/grid_sample/direct_sums_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define NAME(x) avx512_##x
#include "families/grid_sample/direct_body.h"
#define TYPE float
#define REAL float
#define WEIGHTS floats
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) float_avx512_##x
#include "families/grid_sample/direct_sums_body.h"
#define TYPE double
#define REAL double
#define WEIGHTS doubles
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) double_avx512_##x
#include "families/grid_sample/direct_sums_body.h"
OPMILL_TARGET_END
#endif

static sample_direct of_floats(int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return (sample_direct){avx512_position, float_avx512_sum};
    }
    if (isa == OPMILL_ISA_AVX2) {
        return (sample_direct){avx2_position, float_avx2_sum};
    }
#else
    (void)isa;
#endif
    return (sample_direct){baseline_position, float_baseline_sum};
}

static sample_sum *sum_of_doubles(int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return double_avx512_sum;
    }
    if (isa == OPMILL_ISA_AVX2) {
        return double_avx2_sum;
    }
#else
    (void)isa;
#endif
    return double_baseline_sum;
}

static sample_sum *sum_of(int32_t type, int32_t isa) {
    switch (type) {
    case OPMILL_FLOAT:
        return of_floats(isa).sum;
    case OPMILL_DOUBLE:
        return sum_of_doubles(isa);
    case OPMILL_FLOAT16:
        return float16_sum;
    case OPMILL_BFLOAT16:
        return bfloat16_sum;
    default:
        return NULL;
    }
}

sample_direct opmill_sample_direct(const sample_image *image, int64_t pixels, int32_t type,
                                   int64_t bytes, int32_t isa) {
    const sample_direct none = {NULL, NULL};
    sample_direct found = of_floats(isa);
    const bool nearest = image->filter.taps == 1;
    found.sum = nearest ? NULL : sum_of(type, isa);
    if (image->filter.taps > 2 || image->axis_count > SAMPLE_MAX_AXES ||
        pixels > SAMPLE_MAX_PIXELS || (nearest ? bytes > 8 : found.sum == NULL)) {
        return none;
    }
    for (int32_t i = 0; i < image->axis_count; i++) {
        if (image->axes[i].size < 2) { /* its weights are added to one */
            return none;
        }
    }
    return found;
}

/* Words of a type as wide as the element; the zero may be any bits. */
#define DEFINE_COPY(type)                                                                       \
    static void copy_##type(const sample_block *block, const void *image, const void *zero,     \
                            void *to) {                                                         \
        const int32_t *const restrict offsets = block->offsets[0];                              \
        const type *const restrict from = image;                                                \
        type *const restrict out = to;                                                          \
        type outside;                                                                           \
        memcpy(&outside, zero, sizeof outside);                                                 \
        for (int64_t i = 0; i < block->count; i++) {                                            \
            const int32_t at = offsets[i];                                                      \
            const type element = from[at < 0 ? 0 : at];                                         \
            out[i] = at < 0 ? outside : element;                                                \
        }                                                                                       \
    }
DEFINE_COPY(uint8_t)
DEFINE_COPY(uint16_t)
DEFINE_COPY(uint32_t)
DEFINE_COPY(uint64_t)

void opmill_sample_nearest(const sample_block *block, const void *image, const void *zero, void *to,
                           int64_t bytes) {
    switch (bytes) {
    case 1:
        copy_uint8_t(block, image, zero, to);
        break;
    case 2:
        copy_uint16_t(block, image, zero, to);
        break;
    case 4:
        copy_uint32_t(block, image, zero, to);
        break;
    default:
        copy_uint64_t(block, image, zero, to);
        break;
    }
}
