/* Each element of the output is looked up in the input, axis by axis. */
#include <string.h>

#include "reference.h"
#include "values.h"

/* A value of the list that is an input or an attribute; `otherwise` where the call has none. */
typedef struct given_list {
    const opmill_tensor *tensor;
    const opmill_ints *ints;
} given_list;

static int64_t count_in(const given_list *list) {
    if (list->tensor != NULL) {
        return list->tensor->dims[0];
    }
    return list->ints != NULL ? list->ints->count : -1;
}

static int64_t value_in(const given_list *list, int64_t i) {
    if (list->tensor == NULL) {
        return list->ints->values[i];
    }
    return list->tensor->type == OPMILL_INT32 ? ((const int32_t *)list->tensor->data)[i]
                                              : ((const int64_t *)list->tensor->data)[i];
}

static int64_t clamp(int64_t value, int64_t lowest, int64_t highest) {
    return value > highest ? highest : value < lowest ? lowest : value;
}

void reference_slice(const opmill_operator *operator, const opmill_tensor *const *inputs,
                     int32_t input_count, const void *attributes,
                     const opmill_tensor *const *outputs, int32_t output_count) {
    static const char *const NAMES[] = {"starts", "ends", "axes", "steps"};
    const opmill_tensor *const data = inputs[0];
    const opmill_tensor *const output = outputs[0];
    const bool as_inputs = operator->since_version >= 10;
    given_list lists[4];
    int64_t first[OPMILL_MAX_RANK] = {0}, step[OPMILL_MAX_RANK];
    (void)output_count;
    for (int32_t i = 0; i < 4; i++) {
        lists[i].tensor = as_inputs && i + 1 < input_count ? inputs[i + 1] : NULL;
        lists[i].ints = as_inputs ? NULL : attribute_of(operator, attributes, NAMES[i]);
    }
    for (int32_t i = 0; i < data->rank; i++) {
        step[i] = 1;
    }
    for (int64_t i = 0; i < count_in(&lists[0]); i++) {
        int64_t axis = count_in(&lists[2]) >= 0 ? value_in(&lists[2], i) : i;
        axis += axis < 0 ? data->rank : 0;
        const int64_t size = data->dims[axis];
        step[axis] = count_in(&lists[3]) >= 0 ? value_in(&lists[3], i) : 1;
        first[axis] = value_in(&lists[0], i);
        first[axis] += first[axis] < 0 ? size : 0;
        first[axis] = clamp(first[axis], 0, step[axis] > 0 ? size : size - 1);
    }
    int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK], position = 0;
    int more = count_of(output->dims, output->rank) > 0;
    while (more) {
        for (int32_t i = 0; i < data->rank; i++) {
            origin[i] = index[i] > 0 ? first[i] + index[i] * step[i] : first[i];
        }
        copy_element(output, position++, data, position_of(origin, data->dims, data->rank));
        more = next_index(index, output->dims, output->rank);
    }
}
