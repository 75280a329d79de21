/* The mean of adjacent elements, compact. */
#include "families/reduce/compact.h"

#include <math.h>

#include "families/reduce/walk.h"
#include "runtime/vectors/lanes.h"
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

typedef float mean_function(const opmill_compact_source *x, int32_t first, int32_t length);

/* The quotient of two floats is the same whether it is rounded to double before or not. */
static float short_mean(const opmill_compact_source *x, int32_t first, int32_t length) {
    return sum_of_quantized(x, first, length) / (float)length;
}

static int quantized(const opmill_tensor *x, const opmill_compact_source *source,
                     const opmill_compact_sink *sink, const opmill_reduce_plan *plan,
                     mean_function *mean) {
    int32_t rows, length;
    sizes(x, plan, &rows, &length);
    for (int32_t row = 0; row < rows; row++) {
        opmill_compact_write(sink, row, mean(source, row * length, length));
    }
    return OPMILL_OK;
}

#define DEFINE(name, mean)                                                                      \
    int name(const opmill_tensor *x, const opmill_tensor *x_scale, const opmill_tensor *x_zero, \
             const opmill_tensor *y_scale, const opmill_tensor *y_zero, opmill_tensor *y,       \
             const opmill_reduce_plan *plan, opmill_context *context) {                         \
        const opmill_compact_source source = opmill_compact_source_of(x, x_scale, x_zero);      \
        const opmill_compact_sink sink =                                                        \
            opmill_compact_sink_of(y, y_scale, y_zero, context->limits);                        \
        return quantized(x, &source, &sink, plan, mean);                                        \
    }

DEFINE(opmill_reduce_mean_quantized, mean_of_quantized)
DEFINE(opmill_reduce_mean_quantized_short, short_mean)
