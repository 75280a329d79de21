/* Each element of the output is found in the input that it comes from. */
#include <string.h>

#include "opmill/numbers.h"
#include "reference.h"
#include "values.h"

static const void *member(const opmill_kernel *kernel, const void *attributes, const char *name) {
    const char *const given = attributes != NULL ? attributes : kernel->defaults;
    for (int32_t i = 0; i < kernel->attribute_count; i++) {
        if (strcmp(kernel->attributes[i].name, name) == 0) {
            return given + kernel->attributes[i].offset;
        }
    }
    return NULL;
}

/* The axis: a required number, or in version 1 one that may be absent, and is 1 then. */
static int32_t axis_of(const opmill_kernel *kernel, const void *attributes, int32_t rank) {
    const void *const axis = member(kernel, attributes, "axis");
    int64_t number = *(const int64_t *)axis;
    if (kernel->since_version == 1) {
        number = ((const opmill_int *)axis)->present != 0 ? number : 1;
    }
    return (int32_t)(number < 0 ? number + rank : number);
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
