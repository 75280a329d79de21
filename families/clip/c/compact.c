/* Clip, compact. */
#include "families/clip/compact.h"

#include <float.h>
#include <stddef.h>

#include "runtime/quantized/compact.h"

/* A NaN as a bound makes every element a NaN; one as an element stays. The bounds of the plan are
 * attributes, which only floats have. */
#define DEFINE(name, type, lowest, largest, of_plan)                                       \
    int name(const opmill_tensor *x, const opmill_tensor *low, const opmill_tensor *high,  \
             opmill_tensor *y, const opmill_clip_plan *plan, opmill_context *context) {    \
        const type *const from = x->data;                                                  \
        type *const to = y->data, bottom = lowest, top = largest;                          \
        const int32_t count = opmill_compact_count(y);                                     \
        (void)plan;                                                                        \
        (void)context;                                                                     \
        of_plan                                                                            \
        bottom = low != NULL ? *(const type *)low->data : bottom;                          \
        top = high != NULL ? *(const type *)high->data : top;                              \
        for (int32_t i = 0; i < count; i++) {                                              \
            const type raised = bottom > from[i] || bottom != bottom ? bottom : from[i];   \
            to[i] = top < raised || top != top ? top : raised;                             \
        }                                                                                  \
        return OPMILL_OK;                                                                  \
    }

#define OF_PLAN                                            \
    bottom = plan->low_given ? (float)plan->low : bottom;  \
    top = plan->high_given ? (float)plan->high : top;

DEFINE(opmill_clip_compact_float, float, -FLT_MAX, FLT_MAX, OF_PLAN)
DEFINE(opmill_clip_compact_int8, int8_t, INT8_MIN, INT8_MAX, )
DEFINE(opmill_clip_compact_uint8, uint8_t, 0, UINT8_MAX, )
