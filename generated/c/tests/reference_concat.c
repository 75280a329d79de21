/* Each element of the output is found in the input that it comes from. */
#include <string.h>

#include "opmill/numbers.h"
#include "reference.h"
#include "values.h"

/* The axis: a number that a call must give, or one that may be absent, and is 1 then. */
static int32_t axis_of(const opmill_kernel *kernel, const void *attributes, int32_t rank) {
    const char *const given = attributes != NULL ? attributes : kernel->defaults;
    int64_t axis = 1;
    for (int32_t i = 0; i < kernel->attribute_count; i++) {
        const opmill_attribute *const attribute = &kernel->attributes[i];
        const void *const member = given + attribute->offset;
        const bool is_axis = strcmp(attribute->name, "axis") == 0;
        if (is_axis && attribute->optional == 0) {
            axis = *(const int64_t *)member;
        } else if (is_axis && ((const opmill_int *)member)->present != 0) {
            axis = ((const opmill_int *)member)->value;
        }
    }
    return (int32_t)(axis < 0 ? axis + rank : axis);
}

void reference_concat(const opmill_kernel *kernel, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes,
                      const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    const int32_t axis = axis_of(kernel, attributes, output->rank);
    int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK], position = 0;
    (void)input_count;
    (void)output_count;
    if (count_of(output->dims, output->rank) == 0) {
        return;
    }
    do {
        int32_t part = 0;
        memcpy(origin, index, sizeof origin);
        while (origin[axis] >= inputs[part]->dims[axis]) {
            origin[axis] -= inputs[part]->dims[axis];
            part++;
        }
        copy_element(output, position++, inputs[part],
                     position_of(origin, inputs[part]->dims, inputs[part]->rank));
    } while (next_index(index, output->dims, output->rank));
}
