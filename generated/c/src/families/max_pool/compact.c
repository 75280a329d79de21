/* MaxPool, compact: one window after the other. */
#include "families/max_pool/compact.h"

#include <math.h>

#include "runtime/compact/compact_axis.h"

static opmill_compact_axis axis_of(const opmill_tensor *x, const opmill_tensor *y,
                                   const opmill_max_pool_plan *plan, int32_t k) {
    return opmill_compact_axis_of(x, y, k, plan->kernel.values, plan->strides.values,
                                  plan->dilations.values, plan->begin.values);
}

#define X float
#define LOWEST (-INFINITY)
/* A NaN is larger than all numbers, and the first of several stays. */
#define IS_LARGER(value, largest) \
    ((value) > (largest) || ((value) != (value) && (largest) == (largest)))
#define NAME opmill_max_pool_compact_float
#include "families/max_pool/compact_body.h"

#define IS_LARGER(value, largest) ((value) > (largest))
#define X int8_t
#define LOWEST INT8_MIN
#define NAME opmill_max_pool_compact_int8
#include "families/max_pool/compact_body.h"

#define IS_LARGER(value, largest) ((value) > (largest))
#define X uint8_t
#define LOWEST 0
#define NAME opmill_max_pool_compact_uint8
#include "families/max_pool/compact_body.h"
