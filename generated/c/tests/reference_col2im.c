/* Each element of each block is added where its window has it; real numbers in double, which holds
 * the sums of small multiples of 1/8 exactly. */
#include <stdlib.h>
#include <string.h>

#include "combine.h"
#include "reference.h"
#include "values.h"

static int64_t setting(const opmill_operator *operator, const void *attributes, const char *name,
                       int64_t at, int64_t otherwise) {
    const opmill_ints *const given = attribute_of(operator, attributes, name);
    return given != NULL && given->count > 0 ? given->values[at] : otherwise;
}

void reference_col2im(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes,
                      const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const data = inputs[0], *const out = outputs[0];
    const int64_t *const image = inputs[1]->data, *const block = inputs[2]->data;
    const int32_t n = (int32_t)inputs[1]->dims[0];
    const int64_t all = count_of(data->dims, data->rank), size = count_of(out->dims, out->rank);
    const bool real = out->type == OPMILL_FLOAT || out->type == OPMILL_DOUBLE ||
                      out->type == OPMILL_FLOAT16 || out->type == OPMILL_BFLOAT16;
    int64_t split[2 * OPMILL_MAX_RANK], index[2 * OPMILL_MAX_RANK] = {0}, position[OPMILL_MAX_RANK];
    double *const sums = calloc((size_t)size + 1, sizeof *sums);
    (void)input_count;
    (void)output_count;
    if (sums == NULL) {
        abort();
    }
    memset(out->data, 0, type_bytes(out->type, size));
    memcpy(split, out->dims, 2 * sizeof *split);
    for (int32_t i = 0; i < n; i++) {
        const int64_t pads = setting(operator, attributes, "pads", i, 0) +
                             setting(operator, attributes, "pads", n + i, 0);
        const int64_t reach = (block[i] - 1) * setting(operator, attributes, "dilations", i, 1);
        split[2 + i] = block[i];
        split[2 + n + i] =
            (image[i] + pads - reach - 1) / setting(operator, attributes, "strides", i, 1) + 1;
    }
    for (int64_t at = 0; at < all; at++) {
        bool inside = true;
        memcpy(position, index, 2 * sizeof *position);
        for (int32_t i = 0; i < n; i++) {
            position[2 + i] = index[2 + n + i] * setting(operator, attributes, "strides", i, 1) +
                              index[2 + i] * setting(operator, attributes, "dilations", i, 1) -
                              setting(operator, attributes, "pads", i, 0);
            inside = inside && position[2 + i] >= 0 && position[2 + i] < image[i];
        }
        next_index(index, split, 2 + 2 * n);
        const int64_t target = inside ? position_of(position, out->dims, out->rank) : size;
        if (real) {
            sums[target] += get_real(data->data, data->type, at);
        } else if (inside) {
            combine_element(out, target, data, at, "add");
        }
    }
    for (int64_t i = 0; i < size && real; i++) {
        set_real(out->data, out->type, i, sums[i]);
    }
    free(sums);
}
