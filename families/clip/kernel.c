/* Clip: each element, limited to an interval.
 *
 * The loops are plain C that compilers vectorise: the same source for each instruction set. */
#include "families/clip/kernel.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/elementwise/elementwise.h"
#include "runtime/numbers/half.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"

/* The ends of the interval, each an element as it is in memory. */
typedef struct interval {
    unsigned char low[8];
    unsigned char high[8];
} interval;

#define LOOPS baseline
#include "families/clip/loops_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define LOOPS avx2
#include "families/clip/loops_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define LOOPS avx512
#include "families/clip/loops_body.h"
OPMILL_TARGET_END
#endif

/* A number as an element of a floating type, rounded once. */
static void put_number(unsigned char *element, int32_t type, double number) {
    const float narrow = (float)number; /* exact: attributes are floats */
    const uint16_t half = type == OPMILL_FLOAT16 ? opmill_float_to_float16_standard(narrow)
                                                 : opmill_float_to_bfloat16(narrow);
    switch (type) {
    case OPMILL_FLOAT:
        memcpy(element, &narrow, sizeof narrow);
        break;
    case OPMILL_DOUBLE:
        memcpy(element, &number, sizeof number);
        break;
    default:
        memcpy(element, &half, sizeof half);
        break;
    }
}

/* The lowest or the largest finite value of a type. */
static void put_limit(unsigned char *element, int32_t type, bool largest) {
#define PUT(label, of_c, lowest_value, largest_value)                \
    case label: {                                                    \
        const of_c value = largest ? (largest_value) : (lowest_value); \
        memcpy(element, &value, sizeof value);                       \
        break;                                                       \
    }
    switch (type) {
        PUT(OPMILL_FLOAT, float, -FLT_MAX, FLT_MAX)
        PUT(OPMILL_DOUBLE, double, -DBL_MAX, DBL_MAX)
        PUT(OPMILL_FLOAT16, uint16_t, 0xfbffu, 0x7bffu)
        PUT(OPMILL_BFLOAT16, uint16_t, 0xff7fu, 0x7f7fu)
        PUT(OPMILL_INT8, int8_t, INT8_MIN, INT8_MAX)
        PUT(OPMILL_INT16, int16_t, INT16_MIN, INT16_MAX)
        PUT(OPMILL_INT32, int32_t, INT32_MIN, INT32_MAX)
        PUT(OPMILL_INT64, int64_t, INT64_MIN, INT64_MAX)
        PUT(OPMILL_UINT8, uint8_t, 0, UINT8_MAX)
        PUT(OPMILL_UINT16, uint16_t, 0, UINT16_MAX)
        PUT(OPMILL_UINT32, uint32_t, 0, UINT32_MAX)
        PUT(OPMILL_UINT64, uint64_t, 0, UINT64_MAX)
    default:
        break;
    }
#undef PUT
}

static bool is_nan(const unsigned char *element, int32_t type) {
    float narrow;
    double wide;
    uint16_t half;
    switch (type) {
    case OPMILL_FLOAT:
        memcpy(&narrow, element, sizeof narrow);
        return narrow != narrow;
    case OPMILL_DOUBLE:
        memcpy(&wide, element, sizeof wide);
        return wide != wide;
    case OPMILL_FLOAT16:
        memcpy(&half, element, sizeof half);
        return (half & 0x7fffu) > 0x7c00u;
    case OPMILL_BFLOAT16:
        memcpy(&half, element, sizeof half);
        return (half & 0x7fffu) > 0x7f80u;
    default:
        return false;
    }
}

static void put_bound(unsigned char *element, const opmill_tensor *bound, bool given, double number,
                      int32_t type, bool largest) {
    if (bound != NULL) {
        memcpy(element, bound->data, (size_t)opmill_type_bytes(type));
    } else if (given) {
        put_number(element, type, number);
    } else {
        put_limit(element, type, largest);
    }
}

/* A NaN as a bound makes every element that NaN: the interval is then one value, and no element is
 * read. */
static void fill(const void *given, void *to, int64_t count, const void *element, size_t bytes) {
    unsigned char *const all = to;
    (void)given;
    for (int64_t i = 0; i < count; i++) {
        memcpy(all + (size_t)i * bytes, element, bytes);
    }
}

#define DEFINE_FILL(name, bytes, bound)                                                          \
    static void name(const void *given, void *to, int64_t count, const void *operands) {         \
        fill(given, to, count, ((const interval *)operands)->bound, bytes);                        \
    }
DEFINE_FILL(fill_low_2, 2, low)
DEFINE_FILL(fill_low_4, 4, low)
DEFINE_FILL(fill_low_8, 8, low)
DEFINE_FILL(fill_high_2, 2, high)
DEFINE_FILL(fill_high_4, 4, high)
DEFINE_FILL(fill_high_8, 8, high)

static opmill_unary_loop *loop_of(int32_t type, int32_t isa, const interval *bounds) {
    const int32_t bytes = opmill_type_bytes(type);
    if (is_nan(bounds->high, type)) {
        return bytes == 2 ? fill_high_2 : bytes == 4 ? fill_high_4 : fill_high_8;
    }
    if (is_nan(bounds->low, type)) {
        return bytes == 2 ? fill_low_2 : bytes == 4 ? fill_low_4 : fill_low_8;
    }
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        return loop_avx512(type);
    case OPMILL_ISA_AVX2:
        return loop_avx2(type);
#endif
    default:
        return loop_baseline(type);
    }
}

static opmill_unary describe(const opmill_tensor *input, const opmill_tensor *min,
                             const opmill_tensor *max, interval *bounds,
                             const opmill_clip_plan *plan, const opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa), type = input->type;
    const int32_t bytes = opmill_type_bytes(type);
    put_bound(bounds->low, min, plan->low_given, plan->low, type, false);
    put_bound(bounds->high, max, plan->high_given, plan->high, type, true);
    return (opmill_unary){loop_of(type, isa, bounds), bounds, isa, bytes, bytes};
}

static int64_t count_of(const int64_t *dims, int32_t rank) {
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) {
        count *= dims[i];
    }
    return count;
}

int opmill_clip_compute(const opmill_tensor *input, const opmill_tensor *min,
                        const opmill_tensor *max, opmill_tensor *output,
                        const opmill_clip_plan *plan, opmill_context *context) {
    interval bounds;
    const opmill_unary unary = describe(input, min, max, &bounds, plan, context);
    opmill_unary_run(&unary, input->data, output->data, count_of(output->dims, output->rank),
                     context);
    return OPMILL_OK;
}

void opmill_clip_choose(const opmill_tensor *input, const opmill_tensor *min,
                        const opmill_tensor *max, const opmill_shape *output,
                        const opmill_clip_plan *plan, const opmill_context *context,
                        opmill_choice *choice) {
    const int32_t isa = opmill_isa_select(context->isa), bytes = opmill_type_bytes(input->type);
    const opmill_unary unary = {NULL, NULL, isa, bytes,
                                bytes}; /* bounds may have no contents yet */
    (void)min;
    (void)max;
    (void)plan;
    opmill_unary_choose(&unary, count_of(output->dims, output->rank), context, choice);
}
