/* Conv, compact: each element of the output is one sum, in the order of the weights.
 *
 * Loops read x and w where they are. The library multiplies taps outside of x by 0. They are left
 * out here where that gives the same bits: where weights are finite and the sum is not -0. */
#include "families/conv/compact.h"

#include <math.h>
#include <stddef.h>

#include "runtime/compact/compact_axis.h"

/* The library begins a sum with the bias where one block has all terms; it adds the bias to the sum
 * of a product of matrices, and to that of several blocks. */
enum { BLOCK_TERMS = 256, PRODUCT_POSITIONS = 32 };

enum { MAPS = 4 }; /* that are summed together, as they have the elements of x in common */

/* The taps of one position of the output that are inside of x. */
typedef struct window {
    int32_t channels, rows, columns;
    int32_t channel_step, row_step, column_step, w_channel_step, w_row_step;
} window;

typedef struct geometry {
    const opmill_limits *limits;
    opmill_compact_axis rows, columns;
    int32_t channels, map_weights, out; /* channels of a group; positions of a map */
    bool bias_first;
    bool is_padded;
    bool is_point; /* of one tap: then the channels are a row of taps */
} geometry;

OPMILL_APART static float single(const float *x, const float *w, const window *one, float sum) {
    const int32_t step = one->column_step;
    for (int32_t c = one->channels; c > 0; c--) {
        const float *row = x, *w_row = w;
        for (int32_t i = one->rows; i > 0; i--) {
            const float *from = row, *weights = w_row;
            for (const float *const end = weights + one->columns; weights < end; from += step) {
                sum += *from * *weights++;
            }
            row += one->row_step;
            w_row += one->w_row_step;
        }
        x += one->channel_step;
        w += one->w_channel_step;
    }
    return sum;
}

/* Adds the products of a row of taps to the sums of MAPS maps, whose weights are `next` apart. */
OPMILL_APART static void several(const float *x, const float *w, int32_t count, int32_t step,
                                 int32_t next, float *sums) {
    const float *second = w + next, *third = second + next, *fourth = third + next;
    const float *const end = w + count;
    float s = sums[0], t = sums[1], u = sums[2], v = sums[3];
    do {
        const float element = *x;
        x += step;
        s += element * *w++;
        t += element * *second++;
        u += element * *third++;
        v += element * *fourth++;
    } while (w < end);
    sums[0] = s, sums[1] = t, sums[2] = u, sums[3] = v;
}

static void sum_maps(const float *x, const float *w, const window *one, int32_t next, float *sums) {
    for (int32_t c = one->channels; c > 0; c--, x += one->channel_step, w += one->w_channel_step) {
        const float *from = x, *weights = w;
        for (int32_t i = one->rows; i > 0; i--, from += one->row_step, weights += one->w_row_step) {
            several(from, weights, one->columns, one->column_step, next, sums);
        }
    }
}

/* The sum of one map with all taps; those outside of x multiply 0. */
OPMILL_APART static float padded(const float *x, const float *w, const geometry *g, int32_t top,
                                 int32_t left, float sum) {
    const opmill_compact_axis *const h = &g->rows, *const v = &g->columns;
    for (int32_t c = 0; c < g->channels; c++, x += h->in * v->in) {
        for (int32_t i = 0; i < h->taps; i++) {
            const int32_t row = top + i * h->dilation;
            for (int32_t j = 0; j < v->taps; j++) {
                const int32_t column = left + j * v->dilation;
                const bool has = row >= 0 && row < h->in && column >= 0 && column < v->in;
                sum += (has ? x[row * v->in + column] : 0) * *w++;
            }
        }
    }
    return sum;
}

/* True if products with 0 change no sum of these maps. */
OPMILL_APART static bool can_leave_out(const float *w, int32_t count, const float *starts,
                                       int32_t maps) {
    float zero = 0;
    for (int32_t i = 0; i < count; i++) {
        zero += w[i] * 0; /* or NaN */
    }
    for (int32_t m = 0; m < maps; m++) {
        zero = starts[m] == 0 && signbit(starts[m]) ? NAN : zero;
    }
    return zero == 0;
}

/* All positions of one map, or of MAPS maps. */
OPMILL_APART static void compute_maps(const float *x, const float *w, const float *bias, float *y,
                                      window *one, const geometry *g, int32_t count) {
    const opmill_compact_axis *const h = &g->rows, *const v = &g->columns;
    float starts[MAPS] = {0};
    int32_t columns = 0;
    for (int32_t m = 0; m < count && g->bias_first && bias != NULL; m++) {
        starts[m] = bias[m];
    }
    const bool is_full = g->is_padded && !can_leave_out(w, count * g->map_weights, starts, count);
    for (int32_t row = h->out, top = -h->begin; row > 0; row--, top += h->stride) {
        const int32_t i = opmill_compact_taps(h, top, &one->rows);
        const int32_t above = (top + i * h->dilation) * v->in;
        for (int32_t column = v->out, left = -v->begin; column > 0; column--, left += v->stride) {
            const int32_t j = opmill_compact_taps(v, left, &columns);
            float sums[MAPS];
            for (int32_t m = 0; m < MAPS; m++) {
                sums[m] = starts[m];
            }
            one->columns = g->is_point ? g->channels : columns;
            if (is_full) {
                for (int32_t m = 0; m < count; m++) {
                    sums[m] = padded(x, w + m * g->map_weights, g, top, left, sums[m]);
                }
            } else if (one->rows > 0 && columns > 0) {
                const float *const from = x + (above + left + j * v->dilation);
                const float *const weights = w + (i * v->taps + j);
                if (count == MAPS) {
                    sum_maps(from, weights, one, g->map_weights, sums);
                } else {
                    sums[0] = single(from, weights, one, sums[0]);
                }
            }
            for (int32_t m = 0; m < count; m++) {
                float sum = sums[m];
                if (!g->bias_first && bias != NULL) {
                    sum += bias[m] + 0;
                }
                if (g->limits != NULL) {
                    sum = g->limits->low > sum ? g->limits->low : sum;
                    sum = g->limits->high < sum ? g->limits->high : sum;
                }
                y[m * g->out] = sum;
            }
            y++;
        }
    }
}

static bool has_padding(const opmill_compact_axis *axis) {
    const int32_t last = (axis->out - 1) * axis->stride - axis->begin;
    return axis->begin > 0 || last + (axis->taps - 1) * axis->dilation >= axis->in;
}

int opmill_conv_compact(const opmill_tensor *x, const opmill_tensor *w, const opmill_tensor *bias,
                        opmill_tensor *y, const opmill_conv_plan *plan, opmill_context *context) {
    const int32_t spatial = x->rank - 2, groups = (int32_t)plan->group;
    const int32_t all = (int32_t)y->dims[1], maps = all / groups;
    geometry g = {.limits = context->limits, .channels = (int32_t)w->dims[1]};
    g.rows = opmill_compact_axis_of(x, y, spatial - 2, w->dims + 2, plan->strides.values,
                                    plan->dilations.values, plan->begin.values);
    g.columns = opmill_compact_axis_of(x, y, spatial - 1, w->dims + 2, plan->strides.values,
                                       plan->dilations.values, plan->begin.values);
    const opmill_compact_axis *const h = &g.rows, *const v = &g.columns;
    const int32_t taps = h->taps * v->taps;
    window one = {.channels = g.channels,
                  .channel_step = h->in * v->in,
                  .row_step = h->dilation * v->in,
                  .column_step = v->dilation,
                  .w_channel_step = taps,
                  .w_row_step = v->taps};
    const int32_t group = one.channels * one.channel_step;
    const float *from = x->data;
    float *to = y->data;
    g.out = h->out * v->out;
    g.map_weights = g.channels * taps;
    g.is_point = taps == 1;
    g.is_padded = has_padding(h) || has_padding(v);
    const bool is_product = g.is_point && groups == 1 && h->stride == 1 && v->stride == 1 &&
                            !g.is_padded && g.out == one.channel_step && g.out >= PRODUCT_POSITIONS;
    g.bias_first = (g.channels <= 1 || g.channels <= BLOCK_TERMS / taps) && !is_product;
    if (g.is_point) {
        one.column_step = one.channel_step;
        one.channels = 1;
    }
    for (int32_t item = 0; item < (int32_t)y->dims[0]; item++) {
        const float *weights = w->data;
        for (int32_t map = 0, left = maps; map < all;) {
            const int32_t count = left < MAPS ? 1 : MAPS;
            const float *const b = bias != NULL ? (const float *)bias->data + map : NULL;
            compute_maps(from, weights, b, to, &one, &g, count);
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
    return OPMILL_OK;
}
