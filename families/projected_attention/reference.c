/* com.microsoft's Attention, score by score, in double. */
#include <math.h>
#include <stdlib.h>

#include "reference.h"
#include "values.h"

typedef struct problem {
    const opmill_tensor *const *in;
    const opmill_operator *operator;
    const void *attributes;
    int64_t heads, queries, past, total, sizes[3];
} problem;

enum { TOKENS, WEIGHTS, BIAS, MASK, PAST, ADDED };

static double item(const opmill_tensor *tensor, int64_t at) {
    return get_real(tensor->data, tensor->type, at);
}

static double number_of(const problem *of, const char *name, double otherwise) {
    const float *const number = attribute_of(of->operator, of->attributes, name);
    return number != NULL ? (double)*number : otherwise;
}

/* An element of a query, key or value of a token, by the number of its kind. */
static double given(const problem *of, int kind, int64_t b, int64_t i, int64_t head, int64_t e) {
    const opmill_tensor *const tokens = of->in[TOKENS], *const weights = of->in[WEIGHTS];
    const int64_t depth = tokens->dims[2], columns = weights->dims[1];
    const int64_t column = kind * of->heads * of->sizes[0] + head * of->sizes[kind] + e;
    double sum = 0, element;
    for (int64_t k = 0; k < depth; k++) {
        sum += item(tokens, (b * tokens->dims[1] + i) * depth + k) *
               item(weights, k * columns + column);
    }
    if (of->in[BIAS] != NULL) {
        sum += item(of->in[BIAS], column);
    }
    set_real(&element, tokens->type, 0, sum);
    return get_real(&element, tokens->type, 0);
}

/* Element e of row j of the keys, kind 1, or values, kind 2, of a head. */
static double present(const problem *of, int kind, int64_t b, int64_t head, int64_t j, int64_t e) {
    const opmill_tensor *const past = of->in[PAST];
    if (j >= of->past) {
        return given(of, kind, b, j - of->past, head, e);
    }
    const int64_t position = ((kind - 1) * past->dims[1] + b) * of->heads + head;
    return item(past, (position * of->past + j) * past->dims[4] + e);
}

static bool is_masked(const problem *of, int64_t b, int64_t i, int64_t j) {
    const opmill_tensor *const mask = of->in[MASK];
    const int32_t *const numbers = mask != NULL ? mask->data : NULL;
    if (mask == NULL) {
        return false;
    }
    if (mask->rank == 1) {
        const int64_t batch = of->in[TOKENS]->dims[0];
        return j >= numbers[b] || (mask->dims[0] == 2 * batch && j < numbers[batch + b]);
    }
    return numbers[(mask->rank == 2 ? b : b * of->queries + i) * of->total + j] <= 0;
}

/* The weights of a query in `row`. What masks add is apart from the
 * scores until their largest one is known, which is subtracted from each part. */
static void weigh(const problem *of, int64_t b, int64_t h, int64_t i, double *row) {
    const double given_scale = number_of(of, "scale", 0);
    const double scale = given_scale != 0 ? given_scale : 1 / sqrt((double)of->sizes[0]);
    const double filter = number_of(of, "mask_filter_value", -10000);
    const bool causal = int_of(of->operator, of->attributes, "unidirectional", 0) == 1;
    const opmill_tensor *const bias = of->in[ADDED];
    double largest[2] = {-(double)INFINITY, -(double)INFINITY}, sum = 0;
    bool strange = false;
    for (int64_t j = 0; j < of->total; j++) {
        const bool masked = is_masked(of, b, i, j);
        row[j] = 0;
        for (int64_t e = 0; e < of->sizes[0]; e++) {
            row[j] += given(of, 0, b, i, h, e) * present(of, 1, b, h, j, e);
        }
        row[j] *= scale;
        if (bias != NULL) {
            const int64_t own = bias->dims[0] == 1 ? 0 : b, head = bias->dims[1] == 1 ? 0 : h;
            row[j] += item(bias, ((own * bias->dims[1] + head) * of->queries + i) * of->total + j);
        }
        if ((causal && j > i + of->past) || (masked && isinf(filter))) {
            row[j] -= (double)INFINITY;
        }
        strange = strange || isnan(row[j]) || row[j] == (double)INFINITY;
        largest[masked] = row[j] > largest[masked] ? row[j] : largest[masked];
    }
    /* Which of both kinds of keys has the largest score, and how far below it the other's are. */
    const double behind = largest[1] + filter - largest[0];
    const bool sees_any = largest[0] != -(double)INFINITY || largest[1] != -(double)INFINITY;
    const bool rests_on_masked =
        largest[1] != -(double)INFINITY && (largest[0] == -(double)INFINITY || behind > 0);
    for (int64_t j = 0; j < of->total; j++) {
        const bool masked = is_masked(of, b, i, j);
        double added = 0;
        if (masked != rests_on_masked) {
            added = masked ? filter : -filter;
        }
        row[j] = row[j] == -(double)INFINITY || !sees_any
                     ? 0
                     : exp(row[j] - largest[rests_on_masked] + added);
        sum += row[j];
    }
    for (int64_t j = 0; j < of->total; j++) {
        row[j] = strange ? (double)NAN : sees_any ? row[j] / sum : 0;
    }
}

void reference_projected_attention(const opmill_operator *operator,
                                   const opmill_tensor *const *inputs, int32_t input_count,
                                   const void *attributes, const opmill_tensor *const *outputs,
                                   int32_t output_count) {
    const opmill_tensor *in[7] = {NULL};
    for (int32_t i = 0; i < input_count; i++) {
        in[i] = inputs[i];
    }
    problem of = {in, operator, attributes, 0, 0, 0, 0, {0, 0, 0}};
    of.heads = int_of(operator, attributes, "num_heads", 1);
    of.queries = in[TOKENS]->dims[1];
    of.past = in[PAST] != NULL ? in[PAST]->dims[3] : 0;
    of.total = of.past + of.queries;
    of.sizes[2] = outputs[0]->dims[2] / of.heads;
    of.sizes[0] = of.sizes[1] = (in[WEIGHTS]->dims[1] / of.heads - of.sizes[2]) / 2;
    const opmill_tensor *const to = output_count > 1 ? outputs[1] : NULL;
    for (int64_t at = 0; to != NULL && at < count_of(to->dims, to->rank); at++) {
        const int64_t e = at % of.sizes[0], j = at / of.sizes[0] % of.total;
        const int64_t position = at / of.sizes[0] / of.total, batch = to->dims[1];
        const int64_t h = position % of.heads, b = position / of.heads % batch;
        set_real(to->data, to->type, at,
                 present(&of, 1 + (int)(position / of.heads / batch), b, h, j, e));
    }
    double *const row = malloc((size_t)(of.total + 1) * sizeof(double));
    if (row == NULL) {
        abort();
    }
    const int64_t batch = in[TOKENS]->dims[0];
    for (int64_t at = 0; at < batch * of.queries * of.heads; at++) {
        const int64_t h = at % of.heads, i = at / of.heads % of.queries;
        const int64_t b = at / of.heads / of.queries;
        weigh(&of, b, h, i, row);
        for (int64_t e = 0; e < of.sizes[2]; e++) {
            double sum = 0;
            for (int64_t j = 0; j < of.total; j++) {
                sum += row[j] * present(&of, 2, b, h, j, e);
            }
            set_real(outputs[0]->data, outputs[0]->type, at * of.sizes[2] + e, sum);
        }
    }
    free(row);
}
