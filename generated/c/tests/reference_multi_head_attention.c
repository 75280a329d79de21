/* MultiHeadAttention, score by score, in double. */
#include <math.h>
#include <stdlib.h>

#include "reference.h"
#include "values.h"

typedef struct problem {
    const opmill_tensor *const *in;
    const opmill_operator *operator;
    const void *attributes;
    int64_t heads, queries, fresh, past, total, size;
} problem;

enum { QUERY, KEY, VALUE, BIAS, MASK, ADDED, PAST_KEY, PAST_VALUE, LENGTH };

static double item(const opmill_tensor *tensor, int64_t at) {
    return get_real(tensor->data, tensor->type, at);
}

static double number_of(const problem *of, const char *name, double otherwise) {
    const float *const number = attribute_of(of->operator, of->attributes, name);
    return number != NULL ? (double)*number : otherwise;
}

static int64_t size_of(const problem *of, int input) {
    const opmill_tensor *const tensor = of->in[input];
    return tensor->rank == 4 ? tensor->dims[3] : tensor->dims[2] / of->heads;
}

/* An element of a query, new key or new value, with the bias. */
static double given(const problem *of, int input, int64_t b, int64_t i, int64_t head, int64_t e) {
    const opmill_tensor *const tensor = of->in[input], *const bias = of->in[BIAS];
    const int64_t size = size_of(of, input);
    if (tensor->rank == 4) {
        return item(tensor, ((b * of->heads + head) * tensor->dims[2] + i) * size + e);
    }
    const double own = item(tensor, (b * tensor->dims[1] + i) * tensor->dims[2] + head * size + e);
    if (bias == NULL) {
        return own;
    }
    double sum;
    const int64_t first = input * of->heads * of->size + head * size;
    set_real(&sum, tensor->type, 0, own + item(bias, first + e));
    return get_real(&sum, tensor->type, 0);
}

/* Element e of row j of the present. */
static double present(const problem *of, int input, int64_t b, int64_t head, int64_t j, int64_t e) {
    const opmill_tensor *const past = of->in[input == KEY ? PAST_KEY : PAST_VALUE];
    if (j >= of->past && j < of->total) {
        return given(of, input, b, j - of->past, head, e);
    }
    return item(past, ((b * of->heads + head) * past->dims[2] + j) * past->dims[3] + e);
}

static bool is_masked(const problem *of, int64_t b, int64_t i, int64_t j) {
    const opmill_tensor *const mask = of->in[MASK];
    const int32_t *const numbers = mask != NULL ? mask->data : NULL;
    if (mask == NULL) {
        return false;
    }
    if (mask->rank == 1) {
        return j >= numbers[b];
    }
    return numbers[(mask->rank == 2 ? b : b * of->queries + i) * of->total + j] <= 0;
}

/* The weights of a query in `row`, and its scores in `shown`. What masks add is apart from the
 * scores until their largest one is known, which is subtracted from each part. */
static void weigh(const problem *of, int64_t b, int64_t h, int64_t i, double *row, double *shown) {
    const double given_scale = number_of(of, "scale", 0);
    const double scale = given_scale != 0 ? given_scale : 1 / sqrt((double)of->size);
    const double filter = number_of(of, "mask_filter_value", -10000);
    const bool causal = int_of(of->operator, of->attributes, "unidirectional", 0) == 1;
    const opmill_tensor *const bias = of->in[ADDED];
    double largest[2] = {-(double)INFINITY, -(double)INFINITY}, sum = 0;
    bool strange = false;
    for (int64_t j = 0; j < of->total; j++) {
        const bool masked = is_masked(of, b, i, j);
        row[j] = 0;
        for (int64_t e = 0; e < of->size; e++) {
            row[j] += given(of, QUERY, b, i, h, e) * present(of, KEY, b, h, j, e);
        }
        row[j] *= scale;
        if (bias != NULL) {
            const int64_t own = bias->dims[0] == 1 ? 0 : b, head = bias->dims[1] == 1 ? 0 : h;
            row[j] += item(bias, ((own * bias->dims[1] + head) * of->queries + i) * of->total + j);
        }
        if ((causal && j > i + of->past) || (masked && isinf(filter))) {
            row[j] -= (double)INFINITY;
        }
        shown[j] = row[j] + (masked ? filter : 0);
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

static void fill_present(const problem *of, int input, const opmill_tensor *to) {
    for (int64_t at = 0; to != NULL && at < count_of(to->dims, to->rank); at++) {
        const int64_t e = at % to->dims[3], j = at / to->dims[3] % to->dims[2];
        const int64_t head = at / to->dims[3] / to->dims[2];
        set_real(to->data, to->type, at,
                 present(of, input, head / of->heads, head % of->heads, j, e));
    }
}

void reference_multi_head_attention(const opmill_operator *operator,
                                    const opmill_tensor *const *inputs, int32_t input_count,
                                    const void *attributes, const opmill_tensor *const *outputs,
                                    int32_t output_count) {
    const opmill_tensor *in[10] = {NULL}, *out[4] = {NULL};
    for (int32_t i = 0; i < input_count; i++) {
        in[i] = inputs[i];
    }
    for (int32_t i = 0; i < output_count; i++) {
        out[i] = outputs[i];
    }
    problem of = {in, operator, attributes, 0, 0, 0, 0, 0, 0};
    of.heads = int_of(operator, attributes, "num_heads", 1);
    of.queries = in[QUERY]->dims[1];
    of.fresh = in[KEY]->dims[in[KEY]->rank - 2];
    of.past = in[PAST_KEY] != NULL ? in[PAST_KEY]->dims[2] : 0;
    if (in[PAST_KEY] != NULL && in[LENGTH] != NULL) {
        of.past = *(const int32_t *)in[LENGTH]->data;
    }
    of.total = of.past + of.fresh;
    of.size = size_of(&of, QUERY);
    fill_present(&of, KEY, out[1]);
    fill_present(&of, VALUE, out[2]);
    double *const row = malloc(2 * (size_t)(of.total + 1) * sizeof(double));
    if (row == NULL) {
        abort();
    }
    double *const shown = row + of.total;
    const int64_t batch = in[QUERY]->dims[0], value_size = size_of(&of, VALUE);
    for (int64_t at = 0; at < batch * of.queries * of.heads; at++) {
        const int64_t h = at % of.heads, i = at / of.heads % of.queries;
        const int64_t b = at / of.heads / of.queries;
        weigh(&of, b, h, i, row, shown);
        for (int64_t j = 0; out[3] != NULL && j < of.total; j++) {
            const int64_t position = (b * of.heads + h) * of.queries + i;
            set_real(out[3]->data, out[3]->type, position * of.total + j, shown[j]);
        }
        for (int64_t e = 0; e < value_size; e++) {
            double sum = 0;
            for (int64_t j = 0; j < of.total; j++) {
                sum += row[j] * present(&of, VALUE, b, h, j, e);
            }
            set_real(out[0]->data, out[0]->type, at * value_size + e, sum);
        }
    }
    free(row);
}
