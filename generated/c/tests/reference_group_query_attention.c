/* GroupQueryAttention, score by score, in double. */
#include <math.h>
#include <stdlib.h>

#include "reference.h"
#include "values.h"

typedef struct problem {
    const opmill_tensor *const *in;
    const opmill_operator *operator;
    const void *attributes;
    int64_t heads, shared, queries, fresh, rows, total, size;
    bool starts;
} problem;

enum { QUERY, KEY, VALUE, PAST_KEY, PAST_VALUE, LAST, TOTAL, COSINE, SINE, POSITIONS, BIAS, SINK };

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

static int64_t end_of(const problem *of, int64_t b) {
    return ((const int32_t *)of->in[LAST]->data)[b] + 1;
}

static int64_t query_position(const problem *of, int64_t b, int64_t i) {
    return of->starts ? i : end_of(of, b) - of->queries + i;
}

/* An element of a new query, key or value: `first` counts the heads before it, if it is packed. */
static double given(const problem *of, int input, int64_t b, int64_t i, int64_t head, int64_t e) {
    const bool packed = of->in[KEY] == NULL;
    const int64_t skipped = input == QUERY ? 0 : input == KEY ? of->heads : of->heads + of->shared;
    const opmill_tensor *const tensor = of->in[packed ? QUERY : input];
    const int64_t row = b * tensor->dims[1] + i, position = packed ? skipped + head : head;
    return item(tensor, row * tensor->dims[2] + position * of->size + e);
}

/* The same, rotated where the call rotates. */
static double turned(const problem *of, int input, int64_t b, int64_t i, int64_t head, int64_t e) {
    const double own = given(of, input, b, i, head, e);
    if (option(of, "do_rotary", 0) != 1) {
        return own;
    }
    const int64_t pairs = of->in[COSINE]->dims[1];
    const bool neighbours = option(of, "rotary_interleaved", 0) == 1;
    if (e >= 2 * pairs) {
        return own;
    }
    int64_t row = query_position(of, b, i);
    if (of->in[POSITIONS] != NULL) {
        const int64_t *const positions = of->in[POSITIONS]->data;
        row = of->starts ? positions[0] + i : positions[b * of->queries + i];
    }
    const int64_t pair = neighbours ? e / 2 : e % pairs;
    const bool second = neighbours ? e % 2 == 1 : e >= pairs;
    const int64_t other = neighbours ? e + 1 - 2 * (e % 2) : second ? e - pairs : e + pairs;
    const double c = item(of->in[COSINE], row * pairs + pair);
    const double s = item(of->in[SINE], row * pairs + pair);
    const double turn = s * given(of, input, b, i, head, other);
    return nearest(second ? turn + c * own : c * own - turn, of->in[QUERY]->type);
}

/* Element e of key or value j of the present. */
static double cached(const problem *of, bool values, int64_t b, int64_t head, int64_t j,
                     int64_t e) {
    const opmill_tensor *const past = of->in[values ? PAST_VALUE : PAST_KEY];
    const int64_t left = of->starts && of->fresh > 0 ? 0 : end_of(of, b) - of->fresh;
    if (j < left) {
        return item(past, ((b * of->shared + head) * of->rows + j) * of->size + e);
    }
    if (j >= left + of->fresh) {
        return 0;
    }
    return values ? given(of, VALUE, b, j - left, head, e) : turned(of, KEY, b, j - left, head, e);
}

/* The weights of a query in `row`, and in `shown` what the call asks for. */
static void weigh(const problem *of, int64_t b, int64_t h, int64_t i, double *row, double *shown) {
    const float *const given_scale = attribute_of(of->operator, of->attributes, "scale");
    const float *const given_cap = attribute_of(of->operator, of->attributes, "softcap");
    const double scale = given_scale != NULL && *given_scale != 0 ? (double)*given_scale
                                                                  : 1 / sqrt((double)of->size);
    const double cap = given_cap != NULL ? (double)*given_cap : 0;
    const int64_t window = option(of, "local_window_size", -1), mode = option(of, "qk_output", 0);
    const int64_t position = query_position(of, b, i);
    const opmill_tensor *const bias = of->in[BIAS];
    const bool has_sink = of->in[SINK] != NULL || option(of, "smooth_softmax", -1) == 1;
    const double sink = of->in[SINK] != NULL ? item(of->in[SINK], h) : 0;
    double largest = -(double)INFINITY, sum;
    bool strange = false, hidden;
    for (int64_t j = 0; j < of->total; j++) {
        shown[j] = row[j] = 0;
        if (j >= end_of(of, b) || (option(of, "causal", 1) != 0 && j > position) ||
            (window > 0 && j < position && position - j >= window)) {
            row[j] = -(double)INFINITY;
            continue;
        }
        for (int64_t e = 0; e < of->size; e++) {
            row[j] += turned(of, QUERY, b, i, h, e) *
                      cached(of, false, b, h / (of->heads / of->shared), j, e);
        }
        row[j] *= scale;
        row[j] = cap > 0 ? cap * tanh(row[j] / cap) : row[j];
        if (bias != NULL) {
            const int64_t own = bias->dims[0] == 1 ? 0 : b, head = bias->dims[1] == 1 ? 0 : h;
            row[j] += item(bias, ((own * bias->dims[1] + head) * of->queries + i) * of->total + j);
        }
        strange = strange || isnan(row[j]);
        shown[j] = row[j];
        largest = row[j] > largest ? row[j] : largest;
    }
    const bool sees_any = strange || largest != -(double)INFINITY;
    largest = has_sink && sink > largest ? sink : largest;
    sum = has_sink ? exp(sink - largest) : 0;
    for (int64_t j = 0; j < of->total; j++) {
        hidden = row[j] == -(double)INFINITY;
        row[j] = hidden ? 0 : exp(row[j] - largest);
        sum += row[j];
    }
    for (int64_t j = 0; j < of->total; j++) {
        row[j] = !sees_any ? 0 : strange ? (double)NAN : row[j] / sum;
        shown[j] = mode == 2 ? row[j] : shown[j];
    }
}

static void fill_present(const problem *of, bool values, const opmill_tensor *to) {
    for (int64_t at = 0; to != NULL && at < count_of(to->dims, to->rank); at++) {
        const int64_t e = at % of->size, j = at / of->size % to->dims[2];
        const int64_t head = at / of->size / to->dims[2];
        set_real(to->data, to->type, at,
                 cached(of, values, head / of->shared, head % of->shared, j, e));
    }
}

void reference_group_query_attention(const opmill_operator *operator,
                                     const opmill_tensor *const *inputs, int32_t input_count,
                                     const void *attributes, const opmill_tensor *const *outputs,
                                     int32_t output_count) {
    const opmill_tensor *in[16] = {NULL}, *out[4] = {NULL};
    for (int32_t i = 0; i < input_count; i++) {
        in[i] = inputs[i];
    }
    for (int32_t i = 0; i < output_count; i++) {
        out[i] = outputs[i];
    }
    problem of = {in, operator, attributes, 0, 0, 0, 0, 0, 0, 0, false};
    of.heads = option(&of, "num_heads", 1);
    of.shared = option(&of, "kv_num_heads", 1);
    of.queries = in[QUERY]->dims[1];
    of.fresh = in[KEY] != NULL ? in[KEY]->dims[1] : of.queries;
    of.rows = in[PAST_KEY] != NULL ? in[PAST_KEY]->dims[2] : 0;
    of.total = *(const int32_t *)in[TOTAL]->data;
    of.size = out[0]->dims[2] / of.heads;
    of.starts = of.total == of.queries;
    fill_present(&of, false, out[1]);
    fill_present(&of, true, out[2]);
    double *const row = malloc(2 * (size_t)(of.total + 1) * sizeof(double));
    if (row == NULL) {
        abort();
    }
    double *const shown = row + of.total;
    const int64_t batch = in[QUERY]->dims[0];
    for (int64_t at = 0; at < batch * of.queries * of.heads; at++) {
        const int64_t h = at % of.heads, i = at / of.heads % of.queries;
        const int64_t b = at / of.heads / of.queries;
        weigh(&of, b, h, i, row, shown);
        for (int64_t j = 0; out[3] != NULL && j < of.total; j++) {
            const int64_t position = (b * of.heads + h) * of.queries + i;
            set_real(out[3]->data, out[3]->type, position * of.total + j, shown[j]);
        }
        for (int64_t e = 0; e < of.size; e++) {
            double sum = 0;
            for (int64_t j = 0; j < end_of(&of, b); j++) {
                sum += row[j] * cached(&of, true, b, h / (of.heads / of.shared), j, e);
            }
            set_real(out[0]->data, out[0]->type, at * of.size + e, sum);
        }
    }
    free(row);
}
