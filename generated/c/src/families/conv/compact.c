/* Conv, compact: each element of the output is one sum, in the order of the weights.
 *
 * Loops read x and w where they are. The library multiplies taps outside of x by 0. They are left
 * out here where that gives the same bits: where weights are finite and the sum is not -0. */
#include "families/conv/compact.h"

#include <math.h>
#include <stddef.h>

enum { MAPS = 4 }; /* that are summed together, as they have the elements of x in common */

/* The taps of one position of the output that are inside of x. */
typedef struct window {
    int32_t channels, rows, columns;
    int32_t channel_step, row_step, column_step, w_channel_step, w_row_step;
} window;

typedef struct geometry {
    const opmill_conv_compact_plan *plan;
    const opmill_limits *limits;
    int32_t map_weights, out; /* weights and positions of a map */
    bool is_point;            /* of one tap: then the channels are a row of taps */
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
    const opmill_compact_axis *const h = &g->plan->rows, *const v = &g->plan->columns;
    for (int32_t c = 0; c < g->plan->channels; c++, x += h->in * v->in) {
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
    const opmill_compact_axis *const h = &g->plan->rows, *const v = &g->plan->columns;
    float starts[MAPS];
    int32_t columns = 0;
    for (int32_t m = 0; m < MAPS; m++) {
        starts[m] = m < count && g->plan->bias_first && bias != NULL ? bias[m] : 0;
    }
    const bool is_full =
        g->plan->is_padded && !can_leave_out(w, count * g->map_weights, starts, count);
    for (int32_t row = h->out, top = -h->begin; row > 0; row--, top += h->stride) {
        const int32_t i = opmill_compact_taps(h, top, &one->rows);
        const int32_t above = (top + i * h->dilation) * v->in;
        for (int32_t column = v->out, left = -v->begin; column > 0; column--, left += v->stride) {
            const int32_t j = opmill_compact_taps(v, left, &columns);
            float sums[MAPS];
            for (int32_t m = 0; m < MAPS; m++) {
                sums[m] = starts[m];
            }
            one->columns = g->is_point ? g->plan->channels : columns;
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
                if (!g->plan->bias_first && bias != NULL) {
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

void opmill_conv_compact(const void *x, const void *w, const void *bias, void *y,
                         const opmill_conv_compact_plan *plan, const opmill_limits *limits) {
    const opmill_compact_axis *const h = &plan->rows, *const v = &plan->columns;
    const int32_t plane = h->in * v->in, taps = h->taps * v->taps;
    const geometry g = {plan, limits, plan->channels * taps, h->out * v->out, taps == 1};
    window one;
    const float *from = x;
    float *to = y;
    one.channels = g.is_point ? 1 : plan->channels;
    one.channel_step = plane;
    one.row_step = h->dilation * v->in;
    one.column_step = g.is_point ? plane : v->dilation;
    one.w_channel_step = taps;
    one.w_row_step = v->taps;
    for (int32_t item = 0; item < plan->items; item++) {
        const float *weights = w, *b = bias;
        for (int32_t group = 0; group < plan->groups; group++) {
            for (int32_t left = plan->maps, count; left > 0; left -= count) {
                count = left < MAPS ? 1 : MAPS;
                compute_maps(from, weights, b, to, &one, &g, count);
                weights += count * g.map_weights;
                to += count * g.out;
                if (b != NULL) {
                    b += count;
                }
            }
            from += plan->channels * plane;
        }
    }
}
