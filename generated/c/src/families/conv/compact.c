/* Conv, compact: each element of the output is one sum, in the order of the weights.
 *
 * Loops read x and w where they are. A tap outside of x multiplies 0, as in a padded copy of x, so
 * that infinite weights give NaN here too. */
#include "families/conv/compact.h"

#include <stddef.h>

/* The library begins a sum with the bias where one block has all terms; it adds the bias to the sum
 * of a product of matrices, and to that of several blocks. */
enum { BLOCK_TERMS = 256, PRODUCT_POSITIONS = 32, MAPS = 4 };

typedef struct axis {
    int32_t in, out, taps, stride, dilation, begin;
} axis;

typedef struct geometry {
    const opmill_limits *limits;
    int32_t channels; /* of a group */
    axis rows, columns;
    bool bias_first;
} geometry;

static axis axis_of(const opmill_tensor *x, const opmill_tensor *w, const opmill_tensor *y,
                    const opmill_conv_plan *plan, int32_t k) {
    const axis one = {1, 1, 1, 1, 1, 0};
    if (k < 0) {
        return one;
    }
    const axis found = {(int32_t)x->dims[2 + k],
                        (int32_t)y->dims[2 + k],
                        (int32_t)w->dims[2 + k],
                        (int32_t)plan->strides.values[k],
                        (int32_t)plan->dilations.values[k],
                        (int32_t)plan->begin.values[k]};
    return found;
}

static float finished(float sum, float bias, const geometry *g) {
    sum = g->bias_first ? sum : sum + bias;
    if (g->limits != NULL) {
        sum = g->limits->low > sum ? g->limits->low : sum;
        sum = g->limits->high < sum ? g->limits->high : sum;
    }
    return sum;
}

/* One element, at a position of the output. */
static float element(const float *x, const float *w, float start, const geometry *g, int32_t row,
                     int32_t column) {
    const axis *const h = &g->rows, *const v = &g->columns;
    const int32_t top = row * h->stride - h->begin, left = column * v->stride - v->begin;
    const bool inside = top >= 0 && top + (h->taps - 1) * h->dilation < h->in && left >= 0 &&
                        left + (v->taps - 1) * v->dilation < v->in;
    float sum = start;
    for (int32_t c = 0; c < g->channels; c++) {
        for (int32_t i = 0; i < h->taps; i++) {
            const int32_t r = top + i * h->dilation;
            const float *const from = x + r * v->in + left;
            if (inside) {
                for (int32_t j = 0; j < v->taps; j++) {
                    sum += from[j * v->dilation] * *w++;
                }
                continue;
            }
            for (int32_t j = 0; j < v->taps; j++) {
                const int32_t at = left + j * v->dilation;
                const bool has = r >= 0 && r < h->in && at >= 0 && at < v->in;
                sum += (has ? from[j * v->dilation] : 0) * *w++;
            }
        }
        x += h->in * v->in;
    }
    return sum;
}

/* Some maps of a convolution of one tap, which have their inputs in common. */
static void points(const float *x, const float *w, const float *bias, float *y, int32_t maps,
                   int32_t size, const geometry *g) {
    for (int32_t i = 0; i < size; i++) {
        float sums[MAPS];
        for (int32_t m = 0; m < MAPS; m++) {
            sums[m] = g->bias_first && bias != NULL && m < maps ? bias[m] : 0;
        }
        const float *from = x + i, *weights = w;
        if (maps == MAPS) {
            float a = sums[0], b = sums[1], c = sums[2], d = sums[3];
            const int32_t n = g->channels;
            for (int32_t k = 0; k < n; k++, from += size, weights++) {
                a += *from * weights[0];
                b += *from * weights[n];
                c += *from * weights[2 * n];
                d += *from * weights[3 * n];
            }
            sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
        } else {
            for (int32_t m = 0; m < maps; m++, weights += g->channels) {
                for (int32_t k = 0; k < g->channels; k++) {
                    sums[m] += x[k * size + i] * weights[k];
                }
            }
        }
        for (int32_t m = 0; m < maps; m++) {
            y[m * size + i] = finished(sums[m], bias != NULL ? bias[m] + 0 : -0.0f, g);
        }
    }
}

int opmill_conv_compact(const opmill_tensor *x, const opmill_tensor *w, const opmill_tensor *bias,
                        opmill_tensor *y, const opmill_conv_plan *plan, opmill_context *context) {
    const int32_t spatial = x->rank - 2;
    const int32_t groups = (int32_t)plan->group, maps = (int32_t)y->dims[1] / groups;
    geometry g = {.limits = context->limits,
                  .channels = (int32_t)w->dims[1],
                  .rows = axis_of(x, w, y, plan, spatial - 2),
                  .columns = axis_of(x, w, y, plan, spatial - 1)};
    const axis *const h = &g.rows, *const v = &g.columns;
    const int32_t taps = h->taps * v->taps, size = h->out * v->out;
    const bool pointwise = taps == 1 && h->stride == 1 && v->stride == 1 && size == h->in * v->in &&
                           h->begin == 0 && v->begin == 0;
    g.bias_first = (g.channels <= 1 || g.channels <= BLOCK_TERMS / taps) &&
                   !(pointwise && groups == 1 && size >= PRODUCT_POSITIONS);
    const float *from = x->data, *const biases = bias != NULL ? bias->data : NULL;
    float *to = y->data;
    for (int64_t n = 0; n < y->dims[0]; n++) {
        const float *weights = w->data;
        for (int32_t group = 0; group < groups; group++) {
            for (int32_t m = 0; m < maps;) {
                const float *const b = biases != NULL ? biases + group * maps + m : NULL;
                int32_t count = 1;
                if (pointwise) {
                    count = maps - m < MAPS ? maps - m : MAPS;
                    points(from, weights, b, to, count, size, &g);
                } else {
                    const float start = g.bias_first && b != NULL ? *b : 0;
                    for (int32_t i = 0; i < size; i++) {
                        const float sum = element(from, weights, start, &g, i / v->out, i % v->out);
                        to[i] = finished(sum, b != NULL ? *b + 0 : -0.0f, &g);
                    }
                }
                weights += count * g.channels * taps;
                to += count * size;
                m += count;
            }
            from += g.channels * h->in * v->in;
        }
    }
    return OPMILL_OK;
}
