/* Each element of a part is the next one of the input along the axis. */
#include <string.h>

#include "opmill/numbers.h"
#include "reference.h"
#include "values.h"

static int64_t axis_of(const opmill_kernel *kernel, const void *attributes, int32_t rank) {
    const char *const given = attributes != NULL ? attributes : kernel->defaults;
    int64_t axis = 0;
    for (int32_t i = 0; i < kernel->attribute_count; i++) {
        if (strcmp(kernel->attributes[i].name, "axis") == 0) {
            const void *const number = given + kernel->attributes[i].offset;
            /* An absent one, which only version 1 has, is 0. */
            axis = kernel->attributes[i].optional != 0 ? ((const opmill_int *)number)->value
                                                       : *(const int64_t *)number;
        }
    }
    return axis < 0 ? axis + rank : axis;
}

void reference_split(const opmill_kernel *kernel, const opmill_tensor *const *inputs,
                     int32_t input_count, const void *attributes,
                     const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const input = inputs[0];
    const int64_t axis = axis_of(kernel, attributes, input->rank);
    int64_t before = 0;
    (void)input_count;
    for (int32_t part = 0; part < output_count; part++) {
        const opmill_tensor *const output = outputs[part];
        int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK], position = 0;
        bool more = count_of(output->dims, output->rank) > 0;
        while (more) {
            memcpy(origin, index, sizeof origin);
            origin[axis] += before;
            copy_element(output, position++, input, position_of(origin, input->dims, input->rank));
            more = next_index(index, output->dims, output->rank) != 0;
        }
        before += output->dims[axis];
    }
}
