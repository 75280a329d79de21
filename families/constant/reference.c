/* Every element of the attribute at its place. */
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

/* The attribute of a name, where the call has it and it is a pointer. */
static const void *pointer_of(const opmill_operator *operator, const void *attributes,
                              const char *name) {
    const void *const *const member = attribute_of(operator, attributes, name);
    return member != NULL ? *member : NULL;
}

static void set_sparse(const opmill_tensor *output, const opmill_sparse_tensor *given) {
    const int64_t count = count_of(output->dims, output->rank);
    const int64_t *const indices = given->indices->data;
    int64_t index[OPMILL_MAX_RANK] = {0};
    for (int64_t at = 0; at < count; at++) {
        int64_t found = -1;
        for (int64_t k = 0; k < given->values->dims[0]; k++) {
            bool here = given->indices->rank == 1 && indices[k] == at;
            if (given->indices->rank == 2) {
                here = true;
                for (int32_t axis = 0; axis < output->rank; axis++) {
                    here = here && indices[k * output->rank + axis] == index[axis];
                }
            }
            found = here ? k : found;
        }
        if (found >= 0) {
            copy_element(output, at, given->values, found);
        } else if (output->type == OPMILL_STRING) {
            ((const char **)output->data)[at] = "";
        } else {
            set_whole(output->data, output->type, at, 0);
        }
        next_index(index, output->dims, output->rank);
    }
}

/* `count` elements of a type whose size is that of `bytes`. */
static void set_plain(const opmill_tensor *output, const void *values, size_t bytes) {
    memcpy(output->data, values, bytes * (size_t)count_of(output->dims, output->rank));
}

void reference_constant(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes,
                        const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    const opmill_sparse_tensor *const sparse = pointer_of(operator, attributes, "sparse_value");
    const opmill_tensor *const value = pointer_of(operator, attributes, "value");
    const char *const text = pointer_of(operator, attributes, "value_string");
    const opmill_ints *const ints = attribute_of(operator, attributes, "value_ints");
    const opmill_floats *const floats = attribute_of(operator, attributes, "value_floats");
    const opmill_strings *const texts = attribute_of(operator, attributes, "value_strings");
    const int64_t *const whole = attribute_of(operator, attributes, "value_int");
    const float *const real = attribute_of(operator, attributes, "value_float");
    const int64_t count = count_of(output->dims, output->rank);
    (void)inputs;
    (void)input_count;
    (void)output_count;
    if (count == 0) {
        return;
    }
    if (sparse != NULL) {
        clear_last_byte(output);
        set_sparse(output, sparse);
    } else if (value != NULL) {
        clear_last_byte(output);
        for (int64_t i = 0; i < count; i++) {
            copy_element(output, i, value, i);
        }
    } else if (text != NULL) {
        set_plain(output, &text, sizeof text);
    } else if (ints != NULL && ints->count >= 0) {
        set_plain(output, ints->values, sizeof *ints->values);
    } else if (floats != NULL && floats->count >= 0) {
        set_plain(output, floats->values, sizeof *floats->values);
    } else if (texts != NULL && texts->count >= 0) {
        set_plain(output, texts->values, sizeof *texts->values);
    } else if (whole != NULL) {
        set_plain(output, whole, sizeof *whole);
    } else {
        set_plain(output, real, sizeof *real);
    }
}
