/* Recurrent layers, sequence by sequence and element by element, in double, with the functions of
 * the C library. Gates and states are rounded to float, but for layers of double: those without a
 * bound grow from step to step until they are infinite. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

typedef struct function {
    char name[24]; /* in lower case */
    double alpha, beta, limit;
    bool is_double;
} function;

typedef struct layer {
    const opmill_tensor *x, *w, *r, *b, *lengths, *h, *c, *p;
    const opmill_tensor *y, *y_h, *y_c;
    int64_t steps, batch, size, hidden, gates, directions;
    bool batch_first, couples, resets_last, reverse;
    function functions[6];
    int64_t each; /* functions of a direction */
} layer;

static double item(const opmill_tensor *tensor, int64_t at) {
    return tensor == NULL ? 0 : get_real(tensor->data, tensor->type, at);
}

static double stored(const function *of, double number) {
    volatile float single = (float)number;
    return of->is_double ? number : (double)single;
}

static double value_at(const function *of, double x) {
    const double a = of->alpha, b = of->beta;
    x = x > of->limit ? of->limit : x < -of->limit ? -of->limit : x;
    if (strcmp(of->name, "affine") == 0) {
        return a * x + b;
    }
    if (strcmp(of->name, "elu") == 0) {
        return x < 0 ? a * expm1(x) : x;
    }
    if (strcmp(of->name, "hardsigmoid") == 0) {
        const double line = a * x + b;
        return line < 0 ? 0 : line > 1 ? 1 : line;
    }
    if (strcmp(of->name, "leakyrelu") == 0) {
        return x >= 0 ? x : a * x;
    }
    if (strcmp(of->name, "relu") == 0) {
        return x < 0 ? 0 : x;
    }
    if (strcmp(of->name, "scaledtanh") == 0) {
        return a * tanh(b * x);
    }
    if (strcmp(of->name, "sigmoid") == 0) {
        return 1 / (1 + exp(-x));
    }
    if (strcmp(of->name, "softplus") == 0) {
        return x > 40 ? x : log1p(exp(x));
    }
    if (strcmp(of->name, "softsign") == 0) {
        return x / (1 + fabs(x));
    }
    if (strcmp(of->name, "tanh") == 0) {
        return tanh(x);
    }
    return x >= a ? x : 0; /* thresholdedrelu */
}

static double apply(const function *of, double x) { return stored(of, value_at(of, x)); }

/* The names, those of the defaults where there are none, and the numbers in their order. */
static void find_functions(layer *of, const opmill_operator *operator, const void *attributes) {
    static const char *const DEFAULTS[][3] = {
        {"tanh"}, {"sigmoid", "tanh"}, {"sigmoid", "tanh", "tanh"}};
    const opmill_strings *const names = attribute_of(operator, attributes, "activations");
    const opmill_floats *const alphas = attribute_of(operator, attributes, "activation_alpha");
    const opmill_floats *const betas = attribute_of(operator, attributes, "activation_beta");
    const float *const clip = attribute_of(operator, attributes, "clip");
    int64_t alpha = 0, beta = 0;
    for (int64_t i = 0; i < of->each * of->directions; i++) {
        function *const activation = &of->functions[i];
        const char *const name =
            names->count > 0 ? names->values[i] : DEFAULTS[of->each - 1][i % of->each];
        size_t k = 0;
        for (; name[k] != '\0' && k + 1 < sizeof activation->name; k++) {
            activation->name[k] = (char)tolower((unsigned char)name[k]);
        }
        activation->name[k] = '\0';
        activation->limit = clip != NULL ? (double)*clip : (double)INFINITY;
        activation->is_double = of->x->type == OPMILL_DOUBLE;
        activation->alpha = 1;
        activation->beta = 0.5;
        const bool is_hard = strcmp(activation->name, "hardsigmoid") == 0;
        const bool is_leaky = strcmp(activation->name, "leakyrelu") == 0;
        const bool has_both = is_hard || strcmp(activation->name, "affine") == 0 ||
                              strcmp(activation->name, "scaledtanh") == 0;
        if (is_hard || is_leaky) { /* constants may be wider than float where they are used */
            const float usual = is_hard ? 0.2f : 0.01f;
            activation->alpha = (double)usual;
        }
        if ((has_both || is_leaky || strcmp(activation->name, "elu") == 0 ||
             strcmp(activation->name, "thresholdedrelu") == 0) &&
            alpha++ < alphas->count) {
            activation->alpha = (double)alphas->values[alpha - 1];
        }
        if (has_both && beta++ < betas->count) {
            activation->beta = (double)betas->values[beta - 1];
        }
    }
}

/* Of element i of a gate, the part that comes from the input. */
static double from_input(const layer *of, int64_t d, int64_t first, int64_t gate, int64_t i) {
    const int64_t row = (d * of->gates + gate) * of->hidden + i;
    double sum = 0;
    for (int64_t k = 0; k < of->size; k++) {
        sum += item(of->x, first + k) * item(of->w, row * of->size + k);
    }
    return sum + item(of->b, (d * 2 * of->gates + gate) * of->hidden + i);
}

/* And the part that comes from the state. */
static double from_state(const layer *of, int64_t d, const double *h, int64_t gate, int64_t i) {
    const int64_t row = (d * of->gates + gate) * of->hidden + i;
    double sum = 0;
    for (int64_t k = 0; k < of->hidden; k++) {
        sum += h[k] * item(of->r, row * of->hidden + k);
    }
    return sum + item(of->b, ((d * 2 + 1) * of->gates + gate) * of->hidden + i);
}

static double gate_sum(const layer *of, int64_t d, int64_t x, const double *h, int64_t gate,
                       int64_t i) {
    return from_input(of, d, x, gate, i) + from_state(of, d, h, gate, i);
}

static double peephole(const layer *of, int64_t d, int64_t gate, int64_t i, double c) {
    return of->p == NULL ? 0 : item(of->p, (d * 3 + gate) * of->hidden + i) * c;
}

/* The states after a step, in `next` and `c`; `reset` is memory for as many numbers. */
static void step(const layer *of, int64_t d, int64_t x, const double *h, double *c, double *next,
                 double *reset) {
    const function *const f = of->functions + d * of->each;
    for (int64_t i = 0; i < of->hidden && of->gates == 3; i++) {
        reset[i] = apply(f, gate_sum(of, d, x, h, 1, i)) * h[i];
    }
    for (int64_t i = 0; i < of->hidden; i++) {
        if (of->gates == 1) {
            next[i] = apply(f, gate_sum(of, d, x, h, 0, i));
        } else if (of->gates == 3) {
            const double z = apply(f, gate_sum(of, d, x, h, 0, i));
            const double r = apply(f, gate_sum(of, d, x, h, 1, i));
            const double recurrent =
                of->resets_last ? r * from_state(of, d, h, 2, i) : from_state(of, d, reset, 2, i);
            const double candidate = apply(f + 1, from_input(of, d, x, 2, i) + recurrent);
            next[i] = stored(f, (1 - z) * candidate + z * h[i]);
        } else {
            const double in = apply(f, gate_sum(of, d, x, h, 0, i) + peephole(of, d, 0, i, c[i]));
            const double forget =
                of->couples ? 1 - in
                            : apply(f, gate_sum(of, d, x, h, 2, i) + peephole(of, d, 2, i, c[i]));
            c[i] = stored(f, forget * c[i] + in * apply(f + 1, gate_sum(of, d, x, h, 3, i)));
            const double out = apply(f, gate_sum(of, d, x, h, 1, i) + peephole(of, d, 1, i, c[i]));
            next[i] = stored(f, out * apply(f + 2, c[i]));
        }
    }
}

static void put(const layer *of, const opmill_tensor *to, int64_t position, const double *from) {
    for (int64_t i = 0; to != NULL && i < of->hidden; i++) {
        set_real(to->data, to->type, position * of->hidden + i, from[i]);
    }
}

static void run_sequence(const layer *of, int64_t d, int64_t b, double *numbers) {
    double *const h = numbers, *const c = h + of->hidden;
    double *const next = c + of->hidden, *const reset = next + of->hidden;
    const int64_t length =
        of->lengths != NULL ? ((const int32_t *)of->lengths->data)[b] : of->steps;
    const int64_t end = of->batch_first ? b * of->directions + d : d * of->batch + b;
    for (int64_t i = 0; i < of->hidden; i++) {
        h[i] = item(of->h, end * of->hidden + i);
        c[i] = item(of->c, end * of->hidden + i);
    }
    for (int64_t k = 0; k < of->steps; k++) {
        const int64_t t = (of->reverse || d == 1) && k < length ? length - 1 - k : k;
        const int64_t x = of->batch_first ? b * of->steps + t : t * of->batch + b;
        const int64_t position = of->batch_first ? (b * of->steps + t) * of->directions + d
                                                 : (t * of->directions + d) * of->batch + b;
        if (k < length) {
            step(of, d, x * of->size, h, c, next, reset);
            memcpy(h, next, (size_t)of->hidden * sizeof *h);
            put(of, of->y, position, h);
        } else {
            memset(next, 0, (size_t)of->hidden * sizeof *next);
            put(of, of->y, position, next);
        }
    }
    if (length == 0 && of->steps > 0) {
        memset(h, 0, 2 * (size_t)of->hidden * sizeof *h);
    }
    put(of, of->y_h, end, h);
    put(of, of->y_c, end, c);
}

void reference_recurrent(const opmill_operator *operator, const opmill_tensor *const *inputs,
                         int32_t input_count, const void *attributes,
                         const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *given[8] = {NULL};
    const char *const *const direction = attribute_of(operator, attributes, "direction");
    for (int32_t i = 0; i < input_count; i++) {
        given[i] = inputs[i];
    }
    layer of = {.x = given[0],
                .w = given[1],
                .r = given[2],
                .b = given[3],
                .lengths = given[4],
                .h = given[5],
                .c = given[6],
                .p = given[7]};
    of.y = output_count > 0 ? outputs[0] : NULL;
    of.y_h = output_count > 1 ? outputs[1] : NULL;
    of.y_c = output_count > 2 ? outputs[2] : NULL;
    of.batch_first = int_of(operator, attributes, "layout", 0) != 0;
    of.couples = int_of(operator, attributes, "input_forget", 0) != 0;
    of.resets_last = int_of(operator, attributes, "linear_before_reset", 0) != 0;
    of.reverse = strcmp(*direction, "reverse") == 0;
    of.steps = of.x->dims[of.batch_first ? 1 : 0];
    of.batch = of.x->dims[of.batch_first ? 0 : 1];
    of.size = of.x->dims[2];
    of.hidden = of.r->dims[2];
    of.directions = of.r->dims[0];
    of.each = strcmp(operator->name, "RNN") == 0 ? 1 : strcmp(operator->name, "GRU") == 0 ? 2 : 3;
    of.gates = of.each == 1 ? 1 : of.each + 1;
    find_functions(&of, operator, attributes);
    double *const numbers = malloc(4 * (size_t)(of.hidden + 1) * sizeof(double));
    if (numbers == NULL) {
        abort();
    }
    for (int64_t d = 0; d < of.directions; d++) {
        for (int64_t b = 0; b < of.batch; b++) {
            run_sequence(&of, d, b, numbers);
        }
    }
    free(numbers);
}
