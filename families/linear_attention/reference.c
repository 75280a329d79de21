/* LinearAttention, number by number, in double, with the functions of the C library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

typedef struct problem {
    const opmill_tensor *query, *key, *value, *past, *decay, *beta;
    int64_t batch, tokens, q_heads, heads, size, width;
    double scale;
} problem;

/* Number i of a head in the vectors of a token. */
static double number(const opmill_tensor *from, int64_t token, int64_t head, int64_t size,
                     int64_t i) {
    return get_real(from->data, from->type, token * from->dims[2] + head * size + i);
}

/* What a token makes of the state of a head. */
static void step(const problem *of, int64_t token, int64_t head, double *state, double *values) {
    for (int64_t m = 0; m < of->width; m++) {
        values[m] = number(of->value, token, head, of->width, m);
    }
    for (int64_t d = 0; d < of->size && of->decay != NULL; d++) {
        const bool one = of->decay->dims[2] == of->heads;
        const double g = number(of->decay, token, head, one ? 1 : of->size, one ? 0 : d);
        for (int64_t m = 0; m < of->width; m++) {
            state[d * of->width + m] *= (double)(float)exp(g);
        }
    }
    for (int64_t m = 0; m < of->width && of->beta != NULL; m++) {
        double sum = 0;
        for (int64_t d = 0; d < of->size; d++) {
            sum += number(of->key, token, head, of->size, d) * state[d * of->width + m];
        }
        values[m] =
            number(of->beta, token, of->beta->dims[2] > 1 ? head : 0, 1, 0) * (values[m] - sum);
    }
    for (int64_t d = 0; d < of->size; d++) {
        for (int64_t m = 0; m < of->width; m++) {
            double *const cell = &state[d * of->width + m];
            *cell = (double)(float)(*cell + number(of->key, token, head, of->size, d) * values[m]);
        }
    }
}

static void read_state(const problem *of, int64_t token, int64_t q_head, const double *state,
                       const opmill_tensor *output) {
    for (int64_t m = 0; m < of->width; m++) {
        double sum = 0;
        for (int64_t d = 0; d < of->size; d++) {
            sum += number(of->query, token, q_head, of->size, d) * state[d * of->width + m];
        }
        set_real(output->data, output->type, (token * of->q_heads + q_head) * of->width + m,
                 of->scale * sum);
    }
}

void reference_linear_attention(const opmill_operator *operator, const opmill_tensor *const *inputs,
                                int32_t input_count, const void *attributes,
                                const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *in[6] = {NULL};
    const opmill_tensor *const present = output_count > 1 ? outputs[1] : NULL;
    const float *const scale = attribute_of(operator, attributes, "scale");
    for (int32_t i = 0; i < input_count; i++) {
        in[i] = inputs[i];
    }
    problem of = {in[0], in[1], in[2], in[3], in[4], in[5], 0, 0, 0, 0, 0, 0, 0};
    of.batch = of.query->dims[0];
    of.tokens = of.query->dims[1];
    of.q_heads = int_of(operator, attributes, "q_num_heads", 1);
    of.heads = int_of(operator, attributes, "kv_num_heads", 1);
    of.size = of.query->dims[2] / of.q_heads;
    of.width = of.value->dims[2] / of.heads;
    of.scale = scale != NULL && *scale != 0 ? (double)*scale : 1 / sqrt((double)of.size);
    const int64_t cells = of.size * of.width, group = of.q_heads / of.heads;
    if (of.batch == 0 || of.width == 0 || (cells == 0 && of.tokens == 0)) {
        return;
    }
    double *const state = malloc((size_t)(cells + of.width) * sizeof(double));
    if (state == NULL) {
        abort();
    }
    for (int64_t position = 0; position < of.batch * of.heads; position++) {
        const int64_t batch = position / of.heads, head = position % of.heads;
        for (int64_t i = 0; i < cells; i++) {
            state[i] =
                of.past == NULL ? 0 : get_real(of.past->data, of.past->type, position * cells + i);
        }
        for (int64_t t = 0; t < of.tokens; t++) {
            const int64_t token = batch * of.tokens + t;
            step(&of, token, head, state, state + cells);
            for (int64_t j = 0; j < group; j++) {
                read_state(&of, token, head * group + j, state, outputs[0]);
            }
        }
        for (int64_t i = 0; i < cells && present != NULL; i++) {
            if (of.tokens == 0 && of.past != NULL) {
                copy_element(present, position * cells + i, of.past, position * cells + i);
            } else {
                set_real(present->data, present->type, position * cells + i, state[i]);
            }
        }
    }
    free(state);
}
