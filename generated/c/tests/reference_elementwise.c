/* One element after the other; one that stays what it is keeps its bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

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

static void relu(const opmill_tensor *x, const opmill_tensor *y, int64_t i) {
    if (is_negative(x, i)) {
        set_whole(y->data, y->type, i, 0);
    } else {
        copy_element(y, i, x, i);
    }
}

void reference_elementwise(const opmill_operator *operator, const opmill_tensor *const *inputs,
                           int32_t input_count, const void *attributes,
                           const opmill_tensor *const *outputs, int32_t output_count) {
    static const struct {
        const char *name;
        void (*compute)(const opmill_tensor *x, const opmill_tensor *y, int64_t i);
    } FUNCTIONS[] = {{"relu", relu}};
    const size_t functions = sizeof FUNCTIONS / sizeof FUNCTIONS[0];
    const char *const wanted = family_parameter(operator, "function");
    const opmill_tensor *const output = outputs[0];
    size_t found = 0;
    (void)input_count;
    (void)attributes;
    (void)output_count;
    while (found < functions && strcmp(FUNCTIONS[found].name, wanted) != 0) {
        found++;
    }
    if (found == functions) {
        fprintf(stderr, "reference_elementwise has no function %s\n", wanted);
        abort();
    }
    for (int64_t i = 0; i < count_of(output->dims, output->rank); i++) {
        FUNCTIONS[found].compute(inputs[0], output, i);
    }
}
