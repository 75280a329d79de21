/* FusedConv, one output after the other, summed in double, then activated. */
#include <string.h>

#include "activation.h"
#include "reference.h"
#include "values.h"

static int64_t entry(const opmill_ints *list, int32_t i, int64_t otherwise) {
    return list != NULL && list->count > 0 ? list->values[i] : otherwise;
}

static double parameter(const opmill_floats *list, int64_t i) {
    return list != NULL && i < list->count ? (double)list->values[i] : 0;
}

void reference_fused_conv(const opmill_operator *operator, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes,
                          const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const w = inputs[1], *const y = outputs[0];
    const opmill_tensor *const bias = input_count > 2 ? inputs[2] : NULL;
    const opmill_tensor *const added = input_count > 3 ? inputs[3] : NULL;
    const char *const *const name = attribute_of(operator, attributes, "activation");
    const opmill_floats *const numbers = attribute_of(operator, attributes, "activation_params");
    const opmill_ints *const strides = attribute_of(operator, attributes, "strides");
    const opmill_ints *const dilations = attribute_of(operator, attributes, "dilations");
    const opmill_ints *const pads = attribute_of(operator, attributes, "pads");
    const char *const auto_pad =
        *(const char *const *)attribute_of(operator, attributes, "auto_pad");
    const int64_t group = *(const int64_t *)attribute_of(operator, attributes, "group");
    int64_t index[OPMILL_MAX_RANK] = {0}, tap[OPMILL_MAX_RANK], at[OPMILL_MAX_RANK];
    int64_t begin[OPMILL_MAX_RANK], element = 0;
    (void)output_count;
    if (count_of(y->dims, y->rank) == 0) {
        return;
    }
    for (int32_t i = 2; i < x->rank; i++) {
        begin[i] = entry(pads, i - 2, 0);
        if (strncmp(auto_pad, "SAME", 4) == 0) {
            const int64_t missing = (y->dims[i] - 1) * entry(strides, i - 2, 1) +
                                    (w->dims[i] - 1) * entry(dilations, i - 2, 1) + 1 - x->dims[i];
            const int64_t odd = strcmp(auto_pad, "SAME_LOWER") == 0 ? 1 : 0;
            begin[i] = missing > 0 ? (missing + odd) / 2 : 0;
        }
    }
    do {
        double sum = bias != NULL ? get_real(bias->data, bias->type, index[1]) : 0;
        memset(tap, 0, sizeof tap);
        tap[0] = index[1];
        if (w->dims[1] > 0) {
            const int64_t first = index[1] / (w->dims[0] / group) * w->dims[1];
            int32_t axis;
            do {
                bool inside = true;
                at[0] = index[0];
                at[1] = first + tap[1];
                for (int32_t i = 2; i < x->rank; i++) {
                    at[i] = index[i] * entry(strides, i - 2, 1) +
                            tap[i] * entry(dilations, i - 2, 1) - begin[i];
                    inside = inside && at[i] >= 0 && at[i] < x->dims[i];
                }
                sum +=
                    (inside ? get_real(x->data, x->type, position_of(at, x->dims, x->rank)) : 0) *
                    get_real(w->data, w->type, position_of(tap, w->dims, w->rank));
                for (axis = w->rank - 1; axis >= 1; axis--) { /* not the map */
                    if (++tap[axis] < w->dims[axis]) {
                        break;
                    }
                    tap[axis] = 0;
                }
            } while (axis >= 1);
        }
        if (added != NULL) {
            sum += get_real(added->data, added->type, element);
        }
        if (*name != NULL) {
            sum = activation_of(*name, sum, parameter(numbers, 0), parameter(numbers, 1), 0);
        }
        set_real(y->data, y->type, element, sum);
        element++;
    } while (next_index(index, y->dims, y->rank));
}
