/* Means of windows, compact: each by itself, in the order of the library. */
#include "families/pool/compact.h"

#include <math.h>

#include "runtime/compact/compact_axis.h"
#include "runtime/quantized/compact.h"

enum { LANES = 16 };

typedef struct geometry {
    opmill_compact_axis rows, columns;
    opmill_compact_axis counted_rows, counted_columns; /* with the padding that counts */
} geometry;

/* The elements of x in a window. */
typedef struct window {
    int32_t first, rows, columns, row_step, column_step;
    bool is_edge; /* whether columns are missing */
    float divisor;
} window;

static opmill_compact_axis axis_of(const opmill_tensor *x, const opmill_tensor *y,
                                   const opmill_pool_plan *plan, int32_t k) {
    return opmill_compact_axis_of(x, y, k, plan->kernel.values, plan->strides.values,
                                  plan->dilations.values, plan->begin.values);
}

static opmill_compact_axis counted_of(opmill_compact_axis axis, const opmill_tensor *x,
                                      const opmill_pool_plan *plan, int32_t k) {
    if (k >= 0) {
        const int32_t before = (int32_t)plan->counted.values[k];
        axis.in += before + (int32_t)plan->counted.values[x->rank - 2 + k];
        axis.begin -= before;
    }
    return axis;
}

static void lengthen(opmill_compact_axis *axis, int32_t by) {
    axis->in *= by;
    axis->taps *= by;
    axis->stride *= by;
    axis->begin *= by;
}

static geometry geometry_of(const opmill_tensor *x, const opmill_tensor *y,
                            const opmill_pool_plan *plan) {
    const int32_t last = x->rank - 3;
    const opmill_compact_axis one = {1, 1, 1, 1, 1, 0};
    geometry g = {.rows = axis_of(x, y, plan, last - 1), .columns = axis_of(x, y, plan, last)};
    const opmill_compact_axis *const v = &g.columns;
    const int32_t width = v->in;
    g.counted_rows = counted_of(g.rows, x, plan, last - 1);
    g.counted_columns = counted_of(g.columns, x, plan, last);
    /* The library takes whole rows as one axis. */
    if (last > 0 && v->out == 1 && v->taps == width && v->begin == 0 && v->dilation == 1 &&
        g.counted_columns.in == width && g.rows.dilation == 1) {
        lengthen(&g.rows, width);
        lengthen(&g.counted_rows, width);
        g.columns = g.rows;
        g.counted_columns = g.counted_rows;
        g.rows = g.counted_rows = one;
    }
    return g;
}

static window window_of(const geometry *g, int32_t row, int32_t column) {
    const opmill_compact_axis *const h = &g->rows, *const v = &g->columns;
    window one = {.row_step = h->dilation * v->in, .column_step = v->dilation};
    const int32_t top = row * h->stride - h->begin, left = column * v->stride - v->begin;
    const int32_t i = opmill_compact_taps(h, top, &one.rows);
    const int32_t j = opmill_compact_taps(v, left, &one.columns);
    int32_t high, wide;
    one.first = (top + i * h->dilation) * v->in + left + j * v->dilation;
    one.is_edge = one.columns < v->taps;
    opmill_compact_taps(&g->counted_rows, row * h->stride - g->counted_rows.begin, &high);
    opmill_compact_taps(&g->counted_columns, column * v->stride - g->counted_columns.begin, &wide);
    one.divisor = (float)((one.is_edge ? wide : v->taps) * high);
    return one;
}

#define NAME(name) name##_of_floats
#define SOURCE float
#define READ(x, i) ((x)[i])
#define SUM float
#include "families/pool/compact_body.h"

#define NAME(name) name##_of_floats_in_double
#define SOURCE float
#define READ(x, i) ((double)(x)[i])
#define SUM double
#include "families/pool/compact_body.h"

#define NAME(name) name##_of_quantized
#define SOURCE opmill_compact_source
#define READ(x, i) opmill_compact_read(x, i)
#define SUM float
#include "families/pool/compact_body.h"

int opmill_pool_mean_compact(const opmill_tensor *x, opmill_tensor *y, const opmill_pool_plan *plan,
                             opmill_context *context) {
    const geometry g = geometry_of(x, y, plan);
    const int32_t planes = (int32_t)(y->dims[0] * y->dims[1]);
    const float *from = x->data;
    float *to = y->data;
    (void)context;
    for (int32_t plane = 0; plane < planes; plane++, from += g.rows.in * g.columns.in) {
        for (int32_t row = 0; row < g.rows.out; row++, to += g.columns.out) {
            bool is_finite = true;
            for (int32_t column = 0; column < g.columns.out; column++) {
                const window one = window_of(&g, row, column);
                to[column] = mean_of_floats(from, one.first, &one);
                is_finite = is_finite && isfinite(to[column]);
            }
            for (int32_t column = 0; !is_finite && column < g.columns.out; column++) {
                const window one = window_of(&g, row, column); /* as the library again in double */
                to[column] = mean_of_floats_in_double(from, one.first, &one);
            }
        }
    }
    return OPMILL_OK;
}

int opmill_pool_mean_quantized(const opmill_tensor *x, const opmill_tensor *x_scale,
                               const opmill_tensor *x_zero, const opmill_tensor *y_scale,
                               const opmill_tensor *y_zero, opmill_tensor *y,
                               const opmill_pool_plan *plan, opmill_context *context) {
    const geometry g = geometry_of(x, y, plan);
    const int32_t planes = (int32_t)(y->dims[0] * y->dims[1]);
    const opmill_compact_source source = opmill_compact_source_of(x, x_scale, x_zero);
    const opmill_compact_sink sink = opmill_compact_sink_of(y, y_scale, y_zero, context->limits);
    int32_t at = 0;
    for (int32_t plane = 0; plane < planes; plane++) {
        const int32_t start = plane * g.rows.in * g.columns.in;
        for (int32_t row = 0; row < g.rows.out; row++) {
            for (int32_t column = 0; column < g.columns.out; column++) {
                const window one = window_of(&g, row, column);
                const float mean = mean_of_quantized(&source, start + one.first, &one);
                opmill_compact_write(&sink, at++, mean);
            }
        }
    }
    return OPMILL_OK;
}
