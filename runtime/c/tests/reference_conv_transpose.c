/* Every input element times every tap, added in double to the output element that it reaches. The
 * shape of the output is given; how much is cropped at the beginning is worked out here, from the
 * attributes, by the formulas of the specification. */
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static const void *attribute(const opmill_operator *operator, const void *attributes,
                             const char *name) {
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        if (strcmp(operator->attributes[i].name, name) == 0) {
            return (const char *)attributes + operator->attributes[i].offset;
        }
    }
    abort();
}

/* Value i of an attribute of kind INTS, or its default where it is absent. */
static int64_t value_at(const opmill_operator *operator, const void *attributes, const char *name,
                        int32_t i, int64_t absent) {
    const opmill_ints *list = attribute(operator, attributes, name);
    return list->count < 0 ? absent : list->values[i];
}

static int64_t crop_at_begin(const opmill_operator *operator, const void *attributes, int32_t axis,
                             int64_t in, int64_t taps, int64_t out) {
    const char *auto_pad = *(const char *const *)attribute(operator, attributes, "auto_pad");
    const int64_t stride = value_at(operator, attributes, "strides", axis, 1);
    const int64_t dilation = value_at(operator, attributes, "dilations", axis, 1);
    const int64_t natural = stride * (in - 1) + (taps - 1) * dilation + 1 +
                            value_at(operator, attributes, "output_padding", axis, 0);
    const int64_t total = natural > out ? natural - out : 0;
    const opmill_ints *output_shape = attribute(operator, attributes, "output_shape");
    if (output_shape->count >= 0 || strncmp(auto_pad, "SAME", 4) == 0) {
        return strcmp(auto_pad, "SAME_UPPER") == 0 ? total / 2 : total - total / 2;
    }
    return value_at(operator, attributes, "pads", axis, 0);
}

void reference_conv_transpose(const opmill_operator *operator, const opmill_tensor *const *inputs,
                              int32_t input_count, const void *given,
                              const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    const void *const attributes = given != NULL ? given : operator->defaults;
    const opmill_tensor *const x = inputs[0], *const w = inputs[1];
    const opmill_tensor *const bias = input_count > 2 ? inputs[2] : NULL;
    const int64_t group = *(const int64_t *)attribute(operator, attributes, "group");
    const int64_t size = count_of(output->dims, output->rank);
    const int64_t plane = count_of(output->dims + 2, output->rank - 2);
    const int64_t group_maps = w->dims[1], maps = output->dims[1];
    int64_t begin[OPMILL_MAX_RANK], at[OPMILL_MAX_RANK] = {0}, tap[OPMILL_MAX_RANK] = {0};
    int64_t to[OPMILL_MAX_RANK], from_x = 0, from_w;
    double *const sums = calloc(size > 0 ? (size_t)size : 1, sizeof(double));
    (void)output_count;
    if (sums == NULL) {
        abort();
    }
    for (int32_t i = 2; i < x->rank; i++) {
        begin[i] =
            crop_at_begin(operator, attributes, i - 2, x->dims[i], w->dims[i], output->dims[i]);
    }
    if (size > 0 && count_of(x->dims, x->rank) > 0) {
        do {
            const int64_t first_map = at[1] / (x->dims[1] / group) * group_maps;
            memset(tap, 0, sizeof tap);
            tap[0] = at[1];
            from_w = position_of(tap, w->dims, w->rank);
            do {
                int inside = 1;
                to[0] = at[0];
                to[1] = first_map + tap[1];
                for (int32_t i = 2; i < x->rank; i++) {
                    to[i] = at[i] * value_at(operator, attributes, "strides", i - 2, 1) +
                            tap[i] * value_at(operator, attributes, "dilations", i - 2, 1) -
                            begin[i];
                    inside = inside && to[i] >= 0 && to[i] < output->dims[i];
                }
                if (inside) {
                    sums[position_of(to, output->dims, output->rank)] +=
                        get_real(x->data, x->type, from_x) * get_real(w->data, w->type, from_w);
                }
                from_w++;
            } while (next_index(tap + 1, w->dims + 1, w->rank - 1));
            from_x++;
        } while (next_index(at, x->dims, x->rank));
    }
    for (int64_t k = 0; k < size; k++) {
        const double added = bias != NULL ? get_real(bias->data, bias->type, k / plane % maps) : 0;
        set_real(output->data, output->type, k, sums[k] + added);
    }
    free(sums);
}
