/* One element after the other; one that stays what it is keeps its bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

/* A call: its tensors, and what attributes a function asks for. */
typedef struct call {
    const opmill_operator *operator;
    const void *attributes;
    const opmill_tensor *x;
    const opmill_tensor *y;
} call;

/* Whether element i is below zero. */
static bool is_negative(const opmill_tensor *x, int64_t i) {
    switch (x->type) {
    case OPMILL_INT8:
        return ((const int8_t *)x->data)[i] < 0;
    case OPMILL_INT16:
        return ((const int16_t *)x->data)[i] < 0;
    case OPMILL_INT32:
        return ((const int32_t *)x->data)[i] < 0;
    case OPMILL_INT64:
        return ((const int64_t *)x->data)[i] < 0;
    default:
        return get_real(x->data, x->type, i) < 0;
    }
}

static bool is_integer(const opmill_tensor *tensor) {
    switch (tensor->type) {
    case OPMILL_FLOAT:
    case OPMILL_DOUBLE:
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16:
        return false;
    default:
        return true;
    }
}

/* The bits of an element, with zeros above them, and the bit of its sign. */
static uint64_t bits_of(const opmill_tensor *x, int64_t i) {
    switch (type_bytes(x->type, 1)) {
    case 1:
        return ((const uint8_t *)x->data)[i];
    case 2:
        return ((const uint16_t *)x->data)[i];
    case 4: {
        uint32_t bits;
        memcpy(&bits, (const char *)x->data + 4 * i, sizeof bits);
        return bits;
    }
    default: {
        uint64_t bits;
        memcpy(&bits, (const char *)x->data + 8 * i, sizeof bits);
        return bits;
    }
    }
}

static uint64_t sign_of(const opmill_tensor *x) {
    return (uint64_t)1 << (8 * type_bytes(x->type, 1) - 1);
}

static double number(const call *call, const char *name) {
    return (double)*(const float *)attribute_of(call->operator, call->attributes, name);
}

static void absolute(const call *call, int64_t i) {
    const uint64_t bits = bits_of(call->x, i);
    set_bits(call->y->data, call->y->type, i,
             !is_integer(call->x)         ? bits & ~sign_of(call->x)
             : is_negative(call->x, i) ? 0 - bits
                                       : bits);
}

static void exponential(const call *call, int64_t i) {
    set_real(call->y->data, call->y->type, i, exp(get_real(call->x->data, call->x->type, i)));
}

static void is_nan(const call *call, int64_t i) {
    const double x = get_real(call->x->data, call->x->type, i);
    set_whole(call->y->data, call->y->type, i, x != x);
}

static void leaky_relu(const call *call, int64_t i) {
    const double x = get_real(call->x->data, call->x->type, i);
    if (is_negative(call->x, i)) { /* a double holds the product of floats exactly */
        set_real(call->y->data, call->y->type, i, number(call, "alpha") * x);
    } else {
        copy_element(call->y, i, call->x, i);
    }
}

static void negative(const call *call, int64_t i) {
    const uint64_t bits = bits_of(call->x, i);
    set_bits(call->y->data, call->y->type, i,
             is_integer(call->x) ? 0 - bits : bits ^ sign_of(call->x));
}

static void relu(const call *call, int64_t i) {
    if (is_negative(call->x, i)) {
        set_whole(call->y->data, call->y->type, i, 0);
    } else {
        copy_element(call->y, i, call->x, i);
    }
}

/* A root in double is rounded a second time, which changes nothing: it has more than twice the bits
 * of the narrower formats. */
static void square_root(const call *call, int64_t i) {
    set_real(call->y->data, call->y->type, i, sqrt(get_real(call->x->data, call->x->type, i)));
}

static const struct {
    const char *name;
    void (*compute)(const call *call, int64_t i);
} FUNCTIONS[] = {
    {"abs", absolute},
    {"exp", exponential},
    {"is_nan", is_nan},
    {"leaky_relu", leaky_relu},
    {"neg", negative},
    {"relu", relu},
    {"sqrt", square_root},
};

void reference_elementwise(const opmill_operator *operator, const opmill_tensor *const *inputs,
                           int32_t input_count, const void *attributes,
                           const opmill_tensor *const *outputs, int32_t output_count) {
    const size_t functions = sizeof FUNCTIONS / sizeof FUNCTIONS[0];
    const char *const wanted = family_parameter(operator, "function");
    const call call = {operator, attributes, inputs[0], outputs[0]};
    size_t found = 0;
    (void)input_count;
    (void)output_count;
    while (found < functions && strcmp(FUNCTIONS[found].name, wanted) != 0) {
        found++;
    }
    if (found == functions) {
        fprintf(stderr, "reference_elementwise has no function %s\n", wanted);
        abort();
    }
    for (int64_t i = 0; i < count_of(call.y->dims, call.y->rank); i++) {
        FUNCTIONS[found].compute(&call, i);
    }
}
