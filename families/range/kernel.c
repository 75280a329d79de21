/* Range: each number is computed from its index, so that no error adds up. Integers are computed
 * modulo 2^64, which holds every number of the range. */
#include "families/range/kernel.h"

#include <stddef.h>

#include "runtime/numbers/half.h"

/* Products and sums are statements of their own, which no compiler fuses. */
#define FILL(element, wide, from, step, rounded)                      \
    {                                                                 \
        element *const to = output->data;                             \
        const wide first = from, distance = step;                     \
        for (int64_t i = 0; i < count; i++) {                         \
            const wide product = (wide)i * distance;                  \
            const wide number = product + first;                      \
            to[i] = rounded(number);                                  \
        }                                                             \
        break;                                                        \
    }

#define TO_INT16(x) (int16_t)(uint16_t)(x)
#define TO_INT32(x) (int32_t)(uint32_t)(x)
#define TO_INT64(x) (int64_t)(x)
#define TO_FLOAT(x) (float)(x)
#define TO_DOUBLE(x) (x)
#define DOUBLE_TO_FLOAT16(x) opmill_float_to_float16((float)(x))
#define DOUBLE_TO_BFLOAT16(x) opmill_float_to_bfloat16((float)(x))
/* The bits of 1. */
#define FLOAT16_ONE 0x3c00
#define BFLOAT16_ONE 0x3f80

#define FIRST(type) *(const type *)start->data
#define STEP(type, one) (delta == NULL ? (one) : *(const type *)delta->data)

int opmill_range_compute(const opmill_tensor *start, const opmill_tensor *delta,
                         opmill_tensor *output, const opmill_range_plan *plan,
                         opmill_context *context) {
    const int64_t count = output->dims[0];
    (void)context;
    switch (output->type) {
    case OPMILL_INT16:
        FILL(int16_t, uint64_t, (uint64_t)FIRST(int16_t), (uint64_t)STEP(int16_t, 1), TO_INT16)
    case OPMILL_INT32:
        FILL(int32_t, uint64_t, (uint64_t)FIRST(int32_t), (uint64_t)STEP(int32_t, 1), TO_INT32)
    case OPMILL_INT64:
        FILL(int64_t, uint64_t, (uint64_t)FIRST(int64_t), (uint64_t)STEP(int64_t, 1), TO_INT64)
    case OPMILL_FLOAT:
        FILL(float, double, (double)FIRST(float), (double)STEP(float, 1), TO_FLOAT)
    case OPMILL_DOUBLE:
        FILL(double, double, FIRST(double), STEP(double, 1), TO_DOUBLE)
    case OPMILL_FLOAT16: {
        const float from = opmill_float16_to_float(FIRST(uint16_t));
        const float step = opmill_float16_to_float(STEP(uint16_t, FLOAT16_ONE));
        if (plan->in_double) {
            FILL(uint16_t, double, (double)from, (double)step, DOUBLE_TO_FLOAT16)
        }
        FILL(uint16_t, float, from, step, opmill_float_to_float16)
    }
    default: {
        const float from = opmill_bfloat16_to_float(FIRST(uint16_t));
        const float step = opmill_bfloat16_to_float(STEP(uint16_t, BFLOAT16_ONE));
        if (plan->in_double) {
            FILL(uint16_t, double, (double)from, (double)step, DOUBLE_TO_BFLOAT16)
        }
        FILL(uint16_t, float, from, step, opmill_float_to_bfloat16)
    }
    }
    return OPMILL_OK;
}
