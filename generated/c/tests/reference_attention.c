/* Attention, score by score, in double, with the functions of the C library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

typedef struct problem {
    const opmill_tensor *q, *k, *v, *mask, *past_k, *past_v, *lengths;
    const opmill_operator *operator;
    const void *attributes;
    bool flat;
    int64_t batch, heads, shared, queries, fresh, past, total, size, value_size;
} problem;

static double item(const opmill_tensor *tensor, int64_t at) {
    return get_real(tensor->data, tensor->type, at);
}

static double nearest(double x, int32_t type) {
    double element;
    set_real(&element, type, 0, x);
    return get_real(&element, type, 0);
}

static int64_t option(const problem *of, const char *name, int64_t otherwise) {
    return int_of(of->operator, of->attributes, name, otherwise);
}

/* Element e of key or value j. */
static double part(const problem *of, const opmill_tensor *past, const opmill_tensor *fresh,
                   int64_t size, int64_t b, int64_t head, int64_t j, int64_t e) {
    if (j < of->past) {
        return item(past, ((b * of->shared + head) * of->past + j) * size + e);
    }
    const int64_t i = j - of->past;
    const int64_t row = of->flat ? (b * of->fresh + i) * of->shared + head
                                 : (b * of->shared + head) * of->fresh + i;
    return item(fresh, row * size + e);
}

static double mask_bias(const problem *of, int64_t b, int64_t h, int64_t i, int64_t j) {
    const int64_t index[] = {b, h, i, j};
    int64_t at = 0;
    if (of->mask == NULL) {
        return 0;
    }
    const int32_t rank = of->mask->rank;
    const bool pads = of->operator->since_version > 23;
    for (int32_t axis = 0; axis < rank; axis++) {
        const int64_t dim = of->mask->dims[axis], own = index[4 - rank + axis];
        if (pads && axis == rank - 1 && own >= dim) {
            return -(double)INFINITY;
        }
        at = at * dim + (dim == 1 ? 0 : own);
    }
    switch (of->mask->type) {
    case OPMILL_BOOL:
        return ((const uint8_t *)of->mask->data)[at] != 0 ? 0 : -(double)INFINITY;
    case OPMILL_INT8:
        return (double)((const int8_t *)of->mask->data)[at];
    case OPMILL_UINT8:
        return (double)((const uint8_t *)of->mask->data)[at];
    case OPMILL_INT16:
        return (double)((const int16_t *)of->mask->data)[at];
    case OPMILL_UINT16:
        return (double)((const uint16_t *)of->mask->data)[at];
    case OPMILL_UINT32:
        return (double)((const uint32_t *)of->mask->data)[at];
    case OPMILL_UINT64:
        return (double)((const uint64_t *)of->mask->data)[at];
    case OPMILL_INT64:
        return (double)((const int64_t *)of->mask->data)[at];
    default:
        return item(of->mask, at);
    }
}

static bool is_hidden(const problem *of, int64_t b, int64_t i, int64_t j) {
    const int64_t left = option(of, "left_window_size", -1);
    const int64_t right = option(of, "right_window_size", -1);
    int64_t end = of->total, position = i + of->past;
    if (of->lengths != NULL) {
        end = ((const int64_t *)of->lengths->data)[b];
        position = i + end - of->queries;
    }
    return j >= end || (option(of, "is_causal", 0) != 0 && j > position) ||
           (left >= 0 && j < position && position - j > left) ||
           (right >= 0 && j > position && j - position > right);
}

/* The weights of a query in `row`, and in `shown` what the mode asks for. */
static void weigh(const problem *of, int64_t b, int64_t h, int64_t i, double *row, double *shown) {
    const float *const scale = attribute_of(of->operator, of->attributes, "scale");
    const float *const given_cap = attribute_of(of->operator, of->attributes, "softcap");
    const int64_t mode = option(of, "qk_matmul_output_mode", 0);
    const int64_t precision = option(of, "softmax_precision", 0);
    const int32_t type = of->q->type, inner = precision != 0 ? (int32_t)precision : type;
    const double root =
        nearest(sqrt(scale != NULL ? (double)*scale : 1 / sqrt((double)of->size)), type);
    const double cap = given_cap != NULL ? nearest((double)*given_cap, type) : 0;
    const bool caps = cap > 0 || (cap < 0 && of->operator->since_version > 24);
    const int64_t group = of->heads / of->shared;
    const int64_t first =
        (of->flat ? (b * of->queries + i) * of->heads + h : (b * of->heads + h) * of->queries + i) *
        of->size;
    double largest = -(double)INFINITY, sum = 0;
    bool sees_any = false, strange = false;
    for (int64_t j = 0; j < of->total; j++) {
        const double mask = nearest(mask_bias(of, b, h, i, j), type);
        const double bias = is_hidden(of, b, i, j) ? mask - (double)INFINITY : mask;
        double score = 0;
        for (int64_t e = 0; e < of->size; e++) {
            score += item(of->q, first + e) * root * root *
                     part(of, of->past_k, of->k, of->size, b, h / group, j, e);
        }
        const double capped = caps ? cap * tanh(score / cap) : score;
        const double biased = capped + bias;
        shown[j] = mode == 0 ? score : mode == 1 ? capped : biased;
        row[j] = inner != type ? nearest(biased, inner) : biased;
        largest = row[j] > largest ? row[j] : largest;
        strange = strange || isnan(row[j]);
        sees_any = sees_any || bias != -(double)INFINITY;
    }
    for (int64_t j = 0; j < of->total; j++) {
        row[j] = exp(row[j] - largest);
        sum += row[j];
    }
    for (int64_t j = 0; j < of->total; j++) {
        const double weight = strange ? (double)NAN : row[j] / sum;
        row[j] = !sees_any ? 0 : inner != type ? nearest(nearest(weight, inner), type) : weight;
        shown[j] = mode == 3 ? row[j] : shown[j];
    }
}

static void copy_all(const problem *of, const opmill_tensor *past, const opmill_tensor *fresh,
                     int64_t size, const opmill_tensor *to) {
    for (int64_t at = 0; to != NULL && at < count_of(to->dims, to->rank); at++) {
        const int64_t e = at % size, j = at / size % of->total, position = at / size / of->total;
        const int64_t b = position / of->shared, head = position % of->shared, i = j - of->past;
        const int64_t row = of->flat ? (b * of->fresh + i) * of->shared + head
                                     : (b * of->shared + head) * of->fresh + i;
        if (j < of->past) {
            copy_element(to, at, past, (position * of->past + j) * size + e);
        } else {
            copy_element(to, at, fresh, row * size + e);
        }
    }
}

void reference_attention(const opmill_operator *operator, const opmill_tensor *const *inputs,
                         int32_t input_count, const void *attributes,
                         const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *in[7] = {NULL}, *out[4] = {NULL};
    for (int32_t i = 0; i < input_count; i++) {
        in[i] = inputs[i];
    }
    for (int32_t i = 0; i < output_count; i++) {
        out[i] = outputs[i];
    }
    problem of = {in[0], in[1], in[2], in[3], in[4], in[5], in[6], operator, attributes, 0,
                  0,     0,     0,     0,     0,     0,     0,     0,        0};
    of.flat = of.q->rank == 3;
    of.batch = of.q->dims[0];
    of.heads = of.flat ? option(&of, "q_num_heads", 1) : of.q->dims[1];
    of.shared = of.flat ? option(&of, "kv_num_heads", 1) : of.k->dims[1];
    of.queries = of.q->dims[of.flat ? 1 : 2];
    of.fresh = of.k->dims[of.flat ? 1 : 2];
    of.past = of.past_k != NULL ? of.past_k->dims[2] : 0;
    of.total = of.past + of.fresh;
    of.size = of.flat ? of.q->dims[2] / of.heads : of.q->dims[3];
    of.value_size = of.flat ? of.v->dims[2] / of.shared : of.v->dims[3];
    copy_all(&of, of.past_k, of.k, of.size, out[1]);
    copy_all(&of, of.past_v, of.v, of.value_size, out[2]);
    double *const row = malloc(2 * (size_t)(of.total + 1) * sizeof(double));
    if (row == NULL) {
        abort();
    }
    double *const shown = row + of.total;
    for (int64_t at = 0; at < of.batch * of.heads * of.queries; at++) {
        const int64_t b = at / of.queries / of.heads, h = at / of.queries % of.heads;
        const int64_t i = at % of.queries;
        weigh(&of, b, h, i, row, shown);
        for (int64_t j = 0; out[3] != NULL && j < of.total; j++) {
            set_real(out[3]->data, out[3]->type, at * of.total + j, shown[j]);
        }
        for (int64_t e = 0; e < of.value_size; e++) {
            const int64_t group = of.heads / of.shared;
            const int64_t position = of.flat ? (b * of.queries + i) * of.heads + h : at;
            double sum = 0;
            for (int64_t j = 0; j < of.total; j++) {
                sum +=
                    row[j] * nearest(part(&of, of.past_v, of.v, of.value_size, b, h / group, j, e),
                                     of.q->type);
            }
            set_real(out[0]->data, out[0]->type, position * of.value_size + e, sum);
        }
    }
    free(row);
}
