/* QLinearConv, compact: each element of the output is one sum of integers, which is exact, and a
 * factor of its map. Taps outside of x are left out. */
#include "families/qlinear_conv/compact.h"

#include <stdbool.h>
#include <stddef.h>

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

typedef struct geometry {
    const opmill_qlinear_conv_compact_plan *plan;
    const loops *loops;
    opmill_compact_target target;
    int32_t map_weights, out; /* weights and positions of a map */
    bool is_point;            /* of one tap: then the channels are a row of taps */
} geometry;

/* What follows the sums of the next maps; the pointers move on from map to map. */
typedef struct scaling {
    const float *factors;
    const uint32_t *bias;  /* or NULL */
    const int32_t *w_zero; /* or NULL */
} scaling;

static void sum_maps(const uint8_t *x, const uint8_t *w, const window *one, const geometry *g,
                     uint32_t *sums) {
    for (int32_t c = one->channels; c > 0; c--, x += one->channel_step, w += one->w_channel_step) {
        const uint8_t *from = x, *weights = w;
        for (int32_t i = one->rows; i > 0; i--, from += one->row_step, weights += one->w_row_step) {
            g->loops->several(from, weights, one->columns, one->column_step, g->plan->x_zero,
                              g->map_weights, sums);
        }
    }
}

/* All positions of one map, or of MAPS maps. */
static void compute_maps(const uint8_t *x, const uint8_t *w, uint8_t *y, window *one,
                         const geometry *g, const scaling *by, int32_t count) {
    const opmill_qlinear_conv_compact_plan *const plan = g->plan;
    const opmill_compact_axis *const h = &plan->rows, *const v = &plan->columns;
    int32_t columns = 0;
    for (int32_t row = h->out, top = -h->begin; row > 0; row--, top += h->stride) {
        const int32_t i = opmill_compact_taps(h, top, &one->rows);
        const int32_t above = (top + i * h->dilation) * v->in;
        for (int32_t column = v->out, left = -v->begin; column > 0; column--, left += v->stride) {
            const int32_t j = opmill_compact_taps(v, left, &columns);
            uint32_t sums[MAPS], total = 0;
            sums[0] = sums[1] = sums[2] = sums[3] = 0;
            one->columns = g->is_point ? plan->channels : columns;
            if (one->rows > 0 && columns > 0) {
                const uint8_t *const from = x + (above + left + j * v->dilation);
                const uint8_t *const weights = w + (i * v->taps + j);
                if (count == MAPS) {
                    sum_maps(from, weights, one, g, sums);
                } else {
                    sums[0] = g->loops->single(from, weights, one, plan->x_zero);
                }
                total = by->w_zero != NULL ? g->loops->total(from, one, plan->x_zero) : 0;
            }
            for (int32_t m = 0; m < count; m++) {
                uint32_t sum = sums[m];
                if (by->w_zero != NULL) {
                    sum -= total * (uint32_t)by->w_zero[m * plan->zero_step];
                }
                if (by->bias != NULL) {
                    sum += by->bias[m];
                }
                y[m * g->out] = opmill_compact_round(
                    (float)(int32_t)sum * by->factors[m * plan->factor_step], &g->target);
            }
            y++;
        }
    }
}

static void convolve(const uint8_t *x, const uint8_t *w, scaling by, uint8_t *y,
                     const opmill_qlinear_conv_compact_plan *plan, const loops *loops) {
    const opmill_compact_axis *const h = &plan->rows, *const v = &plan->columns;
    const int32_t plane = h->in * v->in, taps = h->taps * v->taps;
    const scaling first = by;
    geometry g;
    window one;
    g.plan = plan;
    g.loops = loops;
    g.target = opmill_compact_range(plan->y_low, plan->y_zero);
    g.map_weights = plan->channels * taps;
    g.out = h->out * v->out;
    g.is_point = taps == 1;
    one.channels = g.is_point ? 1 : plan->channels;
    one.channel_step = plane;
    one.row_step = h->dilation * v->in;
    one.column_step = g.is_point ? plane : v->dilation;
    one.w_channel_step = taps;
    one.w_row_step = v->taps;
    for (int32_t item = 0; item < plan->items; item++) {
        const uint8_t *weights = w;
        by = first;
        for (int32_t group = 0; group < plan->groups; group++) {
            for (int32_t left = plan->maps, count; left > 0; left -= count) {
                count = left < MAPS ? 1 : MAPS;
                compute_maps(x, weights, y, &one, &g, &by, count);
                weights += count * g.map_weights;
                y += count * g.out;
                by.factors += count * plan->factor_step;
                if (by.bias != NULL) {
                    by.bias += count;
                }
                if (by.w_zero != NULL) {
                    by.w_zero += count * plan->zero_step;
                }
            }
            x += plan->channels * plane;
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
