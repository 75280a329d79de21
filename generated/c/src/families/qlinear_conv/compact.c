/* QLinearConv, compact: each element of the output is one sum of integers, which is exact, and a
 * factor of its map. Taps outside of x are left out. */
#include "families/qlinear_conv/compact.h"

#include <stddef.h>

#include "runtime/compact/compact_axis.h"
#include "runtime/quantized/compact.h"

enum { MAPS = 4 }; /* that are summed together, as they have the elements of x in common */

/* The taps of one position of the output that are inside of x. */
typedef struct window {
    int32_t channels, rows, columns;
    int32_t channel_step, row_step, column_step, w_channel_step, w_row_step;
} window;

/* The sums for one pair of types. They are called by pointers, since registers do not suffice for
 * them and the loops around them. */
typedef struct loops {
    uint32_t (*single)(const uint8_t *x, const uint8_t *w, const window *one, int32_t x_zero);
    void (*several)(const uint8_t *x, const uint8_t *w, int32_t count, int32_t step, int32_t x_zero,
                    int32_t next, uint32_t *sums);
    uint32_t (*total)(const uint8_t *x, const window *one, int32_t x_zero);
} loops;

typedef struct quantization {
    const opmill_tensor *x_scale, *x_zero, *w_scale, *w_zero, *y_scale, *y_zero, *bias;
} quantization;

typedef struct geometry {
    opmill_compact_axis rows, columns;
    int32_t map_weights, out, x_zero;
    bool is_point; /* of one tap: then the channels are a row of taps */
    opmill_compact_target target;
    const loops *loops;
} geometry;

/* What follows the sums of a map. */
typedef struct scaling {
    uint32_t added;
    int32_t w_zero;
    float factor;
} scaling;

static scaling scaling_of(const quantization *q, int32_t map) {
    const int32_t at = opmill_compact_count(q->w_zero) > 1 ? map : 0;
    const float both = *(const float *)q->x_scale->data * ((const float *)q->w_scale->data)[at];
    const scaling found = {q->bias != NULL ? ((const uint32_t *)q->bias->data)[map] : 0,
                           opmill_compact_number(q->w_zero, at),
                           both / *(const float *)q->y_scale->data};
    return found;
}

static void sum_maps(const uint8_t *x, const uint8_t *w, const window *one, const geometry *g,
                     uint32_t *sums) {
    for (int32_t c = one->channels; c > 0; c--, x += one->channel_step, w += one->w_channel_step) {
        const uint8_t *from = x, *weights = w;
        for (int32_t i = one->rows; i > 0; i--, from += one->row_step, weights += one->w_row_step) {
            g->loops->several(from, weights, one->columns, one->column_step, g->x_zero,
                              g->map_weights, sums);
        }
    }
}

/* All positions of one map, or of MAPS maps. */
static void compute_maps(const uint8_t *x, const uint8_t *w, uint8_t *y, window *one,
                         const geometry *g, const scaling *scalings, int32_t count) {
    const opmill_compact_axis *const h = &g->rows, *const v = &g->columns;
    int32_t any_zero = 0, columns = 0;
    for (int32_t m = 0; m < count; m++) {
        any_zero |= scalings[m].w_zero;
    }
    for (int32_t row = h->out, top = -h->begin; row > 0; row--, top += h->stride) {
        const int32_t i = opmill_compact_taps(h, top, &one->rows);
        const int32_t above = (top + i * h->dilation) * v->in;
        for (int32_t column = v->out, left = -v->begin; column > 0; column--, left += v->stride) {
            const int32_t j = opmill_compact_taps(v, left, &columns);
            uint32_t sums[MAPS] = {0}, total = 0;
            one->columns = g->is_point ? one->columns : columns;
            if (one->rows > 0 && columns > 0) {
                const uint8_t *const from = x + (above + left + j * v->dilation);
                const uint8_t *const weights = w + (i * v->taps + j);
                if (count == MAPS) {
                    sum_maps(from, weights, one, g, sums);
                } else {
                    sums[0] = g->loops->single(from, weights, one, g->x_zero);
                }
                total = any_zero != 0 ? g->loops->total(from, one, g->x_zero) : 0;
            }
            for (int32_t m = 0; m < count; m++) {
                const scaling *const by = &scalings[m];
                const uint32_t sum = sums[m] - total * (uint32_t)by->w_zero + by->added;
                y[m * g->out] = opmill_compact_round((float)(int32_t)sum * by->factor, &g->target);
            }
            y++;
        }
    }
}

static void convolve(const opmill_tensor *x, const opmill_tensor *w, const opmill_tensor *y,
                     const opmill_qlinear_conv_plan *plan, const quantization *q,
                     const loops *loops) {
    const int32_t spatial = x->rank - 2;
    const opmill_list *const strides = &plan->strides, *const dilations = &plan->dilations;
    geometry g = {
        .rows = opmill_compact_axis_of(x, y, spatial - 2, w->dims + 2, strides->values,
                                       dilations->values, plan->begin.values),
        .columns = opmill_compact_axis_of(x, y, spatial - 1, w->dims + 2, strides->values,
                                          dilations->values, plan->begin.values),
        .x_zero = opmill_compact_number(q->x_zero, 0),
        .target = opmill_compact_target_of(y->type, opmill_compact_number(q->y_zero, 0)),
        .loops = loops,
    };
    window one = {.channels = (int32_t)w->dims[1],
                  .channel_step = g.rows.in * g.columns.in,
                  .row_step = g.rows.dilation * g.columns.in,
                  .column_step = g.columns.dilation,
                  .w_channel_step = g.rows.taps * g.columns.taps,
                  .w_row_step = g.columns.taps};
    const int32_t all = (int32_t)y->dims[1], maps = all / (int32_t)plan->group;
    const uint8_t *from = x->data;
    uint8_t *to = y->data;
    const int32_t group = one.channels * one.channel_step;
    g.map_weights = one.channels * one.w_channel_step;
    g.is_point = one.w_channel_step == 1;
    if (g.is_point) {
        one.columns = one.channels;
        one.column_step = one.channel_step;
        one.channels = 1;
    }
    g.out = g.rows.out * g.columns.out;
    for (int32_t item = 0; item < (int32_t)y->dims[0]; item++) {
        const uint8_t *weights = w->data;
        for (int32_t map = 0, left = maps; map < all;) {
            const int32_t count = left < MAPS ? 1 : MAPS;
            scaling scalings[MAPS];
            for (int32_t m = 0; m < count; m++) {
                scalings[m] = scaling_of(q, map + m);
            }
            compute_maps(from, weights, to, &one, &g, scalings, count);
            weights += count * g.map_weights;
            to += count * g.out;
            map += count;
            left -= count;
            if (left == 0) { /* the next group */
                left = maps;
                from += group;
            }
        }
    }
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
