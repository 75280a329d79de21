/* QLinearConv, compact: each element of the output is one sum of integers, which is exact, and a
 * factor of its map. Taps outside of x are left out. */
#include "families/qlinear_conv/compact.h"

#include <stddef.h>

#include "runtime/compact_axis.h"
#include "runtime/quantized/compact.h"

enum { MAPS = 4 }; /* that are summed together, as they have the elements of x in common */

typedef struct geometry {
    opmill_compact_axis rows, columns;
    int32_t channels, maps, groups; /* channels and maps of a group */
    int32_t plane, map_weights;
    int32_t x_zero;
} geometry;

/* The taps of one position of the output that are inside of x, and where the first of them is. */
typedef struct window {
    int32_t x, w;
    int32_t channels, rows, columns;
    int32_t row_step, column_step, w_row_step, w_channel_step;
} window;

static opmill_compact_axis axis_of(const opmill_tensor *x, const opmill_tensor *w,
                                   const opmill_tensor *y, const opmill_qlinear_conv_plan *plan,
                                   int32_t k) {
    return opmill_compact_axis_of(x, y, k, w->dims + 2, plan->strides.values,
                                  plan->dilations.values, plan->begin.values);
}

static geometry geometry_of(const opmill_tensor *x, const opmill_tensor *x_zero,
                            const opmill_tensor *w, const opmill_tensor *y,
                            const opmill_qlinear_conv_plan *plan) {
    const int32_t spatial = x->rank - 2;
    geometry g = {.rows = axis_of(x, w, y, plan, spatial - 2),
                  .columns = axis_of(x, w, y, plan, spatial - 1),
                  .channels = (int32_t)w->dims[1],
                  .groups = (int32_t)plan->group,
                  .x_zero = opmill_compact_number(x_zero, 0)};
    g.maps = (int32_t)y->dims[1] / g.groups;
    g.plane = g.rows.in * g.columns.in;
    g.map_weights = g.channels * g.rows.taps * g.columns.taps;
    return g;
}

static window window_of(const geometry *g, int32_t row, int32_t column) {
    const opmill_compact_axis *const h = &g->rows, *const v = &g->columns;
    const int32_t top = row * h->stride - h->begin, left = column * v->stride - v->begin;
    window one = {.channels = g->channels,
                  .row_step = h->dilation * v->in,
                  .column_step = v->dilation,
                  .w_row_step = v->taps,
                  .w_channel_step = h->taps * v->taps};
    const int32_t i = opmill_compact_taps(h, top, &one.rows);
    const int32_t j = opmill_compact_taps(v, left, &one.columns);
    one.x = (top + i * h->dilation) * v->in + left + j * v->dilation;
    one.w = i * v->taps + j;
    if (one.w_channel_step == 1 && one.columns == 1) { /* then the channels are a row of taps */
        one.columns = one.channels;
        one.column_step = g->plane;
        one.channels = 1;
    }
    return one;
}

#define X int8_t
#define W int8_t
#define NAME(name) name##_int8_int8
#include "families/qlinear_conv/compact_body.h"

#define X uint8_t
#define W int8_t
#define NAME(name) name##_uint8_int8
#include "families/qlinear_conv/compact_body.h"

#define X int8_t
#define W uint8_t
#define NAME(name) name##_int8_uint8
#include "families/qlinear_conv/compact_body.h"

#define X uint8_t
#define W uint8_t
#define NAME(name) name##_uint8_uint8
#include "families/qlinear_conv/compact_body.h"
