/* The mean of adjacent elements, compact. */
#include "families/reduce/compact.h"

#include <math.h>

#include "families/reduce/walk.h"
#include "runtime/lanes.h"
#include "runtime/quantized/compact.h"

#define SUM(a, b) ((a) + (b))

#define NAME(name) name##_of_floats
#define SOURCE float
#define READ(x, i) ((x)[i])
#include "families/reduce/compact_body.h"

#define NAME(name) name##_of_quantized
#define SOURCE opmill_compact_source
#define READ(x, i) opmill_compact_read(x, i)
#include "families/reduce/compact_body.h"

static void sizes(const opmill_tensor *x, const opmill_reduce_plan *plan, int32_t *rows,
                  int32_t *length) {
    *rows = *length = 1;
    for (int32_t i = 0; i < x->rank; i++) {
        *(plan->reduces.values[i] != 0 ? length : rows) *= (int32_t)x->dims[i];
    }
}

int opmill_reduce_mean_compact(const opmill_tensor *x, opmill_tensor *y,
                               const opmill_reduce_plan *plan, opmill_context *context) {
    float *to = y->data;
    int32_t rows, length;
    (void)context;
    sizes(x, plan, &rows, &length);
    for (int32_t row = 0; row < rows; row++) {
        *to++ = mean_of_floats(x->data, row * length, length);
    }
    return OPMILL_OK;
}

int opmill_reduce_mean_quantized(const opmill_tensor *x, const opmill_tensor *x_scale,
                                 const opmill_tensor *x_zero, const opmill_tensor *y_scale,
                                 const opmill_tensor *y_zero, opmill_tensor *y,
                                 const opmill_reduce_plan *plan, opmill_context *context) {
    const opmill_compact_source source = opmill_compact_source_of(x, x_scale, x_zero);
    const opmill_compact_sink sink = opmill_compact_sink_of(y, y_scale, y_zero, context->limits);
    int32_t rows, length;
    sizes(x, plan, &rows, &length);
    for (int32_t row = 0; row < rows; row++) {
        opmill_compact_write(&sink, row, mean_of_quantized(&source, row * length, length));
    }
    return OPMILL_OK;
}
