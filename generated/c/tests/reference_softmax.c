/* Lines, one after the other and one element after the other, in double. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

typedef void line_function(const opmill_tensor *x, const opmill_tensor *y, int64_t first,
                           int64_t length, int64_t step);

static double at(const opmill_tensor *x, int64_t position) {
    return get_real(x->data, x->type, position);
}

/* The largest, and the sum of the exponentials beside it. */
static double sum_of(const opmill_tensor *x, int64_t first, int64_t length, int64_t step,
                     double *largest) {
    double sum = 0;
    *largest = -INFINITY;
    for (int64_t i = 0; i < length; i++) {
        *largest = fmax(*largest, at(x, first + i * step));
    }
    for (int64_t i = 0; i < length; i++) {
        sum += exp(at(x, first + i * step) - *largest);
    }
    return sum;
}

static void softmax(const opmill_tensor *x, const opmill_tensor *y, int64_t first, int64_t length,
                    int64_t step) {
    double largest;
    const double sum = sum_of(x, first, length, step, &largest);
    for (int64_t i = first; i < first + length * step; i += step) {
        set_real(y->data, y->type, i, exp(at(x, i) - largest) / sum);
    }
}

static void log_softmax(const opmill_tensor *x, const opmill_tensor *y, int64_t first,
                        int64_t length, int64_t step) {
    double largest;
    const double sum = sum_of(x, first, length, step, &largest);
    for (int64_t i = first; i < first + length * step; i += step) {
        set_real(y->data, y->type, i, at(x, i) - largest - log(sum));
    }
}

static void hardmax(const opmill_tensor *x, const opmill_tensor *y, int64_t first, int64_t length,
                    int64_t step) {
    int64_t chosen = first;
    for (int64_t i = first; i < first + length * step; i += step) {
        set_real(y->data, y->type, i, 0);
        if (at(x, i) > at(x, chosen) || (isnan(at(x, i)) && !isnan(at(x, chosen)))) {
            chosen = i;
        }
    }
    set_real(y->data, y->type, chosen, 1);
}

static const struct {
    const char *name;
    line_function *function;
} functions[] = {
    {"hardmax", hardmax},
    {"log_softmax", log_softmax},
    {"softmax", softmax},
};

void reference_softmax(const opmill_operator *operator, const opmill_tensor *const *inputs,
                       int32_t input_count, const void *attributes,
                       const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    const int64_t given = *(const int64_t *)attribute_of(operator, attributes, "axis");
    const int32_t axis = (int32_t)(given < 0 ? given + x->rank : given);
    const char *const name = family_parameter(operator, "function");
    const bool one = strcmp(family_parameter(operator, "lines"), "one_axis") == 0;
    int64_t length = x->dims[axis], step = 1;
    line_function *function = NULL;
    (void)input_count;
    (void)output_count;
    for (int32_t i = axis + 1; i < x->rank; i++) {
        *(one ? &step : &length) *= x->dims[i];
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        function = strcmp(functions[i].name, name) == 0 ? functions[i].function : function;
    }
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        if (i / step % length == 0) {
            function(x, outputs[0], i, length, step);
        }
    }
}
