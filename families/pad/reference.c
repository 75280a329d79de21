/* Each element of the output is looked up in the input, axis by axis, or is the fill. */
#include <string.h>

#include "reference.h"
#include "values.h"

/* Value `i` of a tensor of int32 or int64. */
static int64_t value_at(const opmill_tensor *tensor, int64_t i) {
    return tensor->type == OPMILL_INT32 ? ((const int32_t *)tensor->data)[i]
                                        : ((const int64_t *)tensor->data)[i];
}

/* What is added before and after each axis. */
typedef struct pads_of_axes {
    int64_t before[OPMILL_MAX_RANK];
    int64_t after[OPMILL_MAX_RANK];
} pads_of_axes;

static void read_center(pads_of_axes *pads, const opmill_operator *operator,
                        const opmill_tensor *const *inputs, const void *attributes) {
    const opmill_ints *const axes = attribute_of(operator, attributes, "axes");
    for (int64_t i = 0; i < inputs[1]->dims[0]; i++) {
        int64_t axis = axes->count >= 0 ? axes->values[i] : i;
        axis += axis < 0 ? inputs[0]->rank : 0;
        const int64_t missing = value_at(inputs[1], i) - inputs[0]->dims[axis];
        pads->before[axis] = missing >= 0 ? missing / 2 : -(-missing / 2);
        pads->after[axis] = missing - pads->before[axis];
    }
}

static void read_pads(pads_of_axes *pads, const opmill_operator *operator,
                      const opmill_tensor *const *inputs, int32_t input_count,
                      const void *attributes) {
    const int32_t rank = inputs[0]->rank;
    memset(pads, 0, sizeof *pads);
    if (strcmp(operator->name, "CenterCropPad") == 0) {
        read_center(pads, operator, inputs, attributes);
        return;
    }
    const opmill_tensor *const axes = input_count > 3 ? inputs[3] : NULL;
    const opmill_ints *listed = attribute_of(operator, attributes, "pads");
    const int64_t count = axes != NULL ? axes->dims[0] : rank;
    if (listed == NULL) {
        listed = attribute_of(operator, attributes, "paddings");
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t axis = axes != NULL ? value_at(axes, i) : i;
        axis += axis < 0 ? rank : 0;
        pads->before[axis] = listed != NULL ? listed->values[i] : value_at(inputs[1], i);
        pads->after[axis] =
            listed != NULL ? listed->values[i + count] : value_at(inputs[1], i + count);
    }
}

/* The index of the input along one axis, of so many elements; -1 for the fill. */
static int64_t look_up(int64_t at, int64_t size, int64_t before, int64_t after, const char *mode) {
    at -= before;
    if (strcmp(mode, "constant") == 0) {
        return at >= 0 && at < size ? at : -1;
    }
    const int64_t first = before < 0 ? -before : 0;
    const int64_t copied = size - first + (after < 0 ? after : 0);
    at -= first;
    if (strcmp(mode, "edge") == 0) {
        return first + (at < 0 ? 0 : at >= copied ? copied - 1 : at);
    }
    while (at < 0 || at >= copied) {
        if (strcmp(mode, "wrap") == 0) {
            at += at < 0 ? copied : -copied;
        } else if (copied == 1) {
            at = 0;
        } else {
            at = at < 0 ? -at : 2 * (copied - 1) - at;
        }
    }
    return first + at;
}

/* The element that is added, as a tensor; `bytes` holds it where no input does. */
static opmill_tensor fill_of(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, const void *attributes, void *bytes) {
    static const char *const EMPTY = "";
    const float *const value = attribute_of(operator, attributes, "value");
    opmill_tensor fill = {bytes, NULL, 0, inputs[0]->type};
    if (strcmp(operator->name, "Pad") == 0 && input_count > 2 && inputs[2] != NULL) {
        fill.data = inputs[2]->data;
    } else if (fill.type == OPMILL_STRING) {
        memcpy(bytes, &EMPTY, sizeof EMPTY);
    } else if (value != NULL) {
        set_real(bytes, fill.type, 0, (double)*value);
    }
    return fill;
}

void reference_pad(const opmill_operator *operator, const opmill_tensor *const *inputs,
                   int32_t input_count, const void *attributes, const opmill_tensor *const *outputs,
                   int32_t output_count) {
    const opmill_tensor *const data = inputs[0];
    const opmill_tensor *const output = outputs[0];
    const char *const *const mode = attribute_of(operator, attributes, "mode");
    uint64_t bytes[2] = {0, 0};
    const opmill_tensor fill = fill_of(operator, inputs, input_count, attributes, bytes);
    pads_of_axes pads;
    int64_t index[OPMILL_MAX_RANK] = {0}, origin[OPMILL_MAX_RANK], position = 0;
    int more = count_of(output->dims, output->rank) > 0;
    (void)output_count;
    read_pads(&pads, operator, inputs, input_count, attributes);
    clear_last_byte(output);
    while (more) {
        bool inside = true;
        for (int32_t i = 0; i < data->rank; i++) {
            origin[i] = look_up(index[i], data->dims[i], pads.before[i], pads.after[i],
                                mode != NULL ? *mode : "constant");
            inside = inside && origin[i] >= 0;
        }
        if (inside) {
            copy_element(output, position, data, position_of(origin, data->dims, data->rank));
        } else {
            copy_element(output, position, &fill, 0);
        }
        position++;
        more = next_index(index, output->dims, output->rank);
    }
}
