/* One element after the other: those of all inputs at the same index, an axis of 1 read at 0. */
#include <string.h>

#include "reference.h"
#include "values.h"

/* The position of the element of an input at an index of the output. */
static int64_t position_in(const opmill_tensor *tensor, const int64_t *index, int32_t rank) {
    int64_t own[OPMILL_MAX_RANK];
    for (int32_t i = 0; i < tensor->rank; i++) {
        own[i] = tensor->dims[i] == 1 ? 0 : index[rank - tensor->rank + i];
    }
    return position_of(own, tensor->dims, tensor->rank);
}

static bool is_floating(const opmill_tensor *tensor) {
    return tensor->type == OPMILL_FLOAT || tensor->type == OPMILL_DOUBLE ||
           tensor->type == OPMILL_FLOAT16 || tensor->type == OPMILL_BFLOAT16;
}

/* The bits of an integer in an order that is that of the integers. */
static uint64_t order_of(const opmill_tensor *tensor, int64_t i) {
    const size_t bytes = type_bytes(tensor->type, 1);
    uint64_t bits = 0;
    for (size_t byte = 0; byte < bytes; byte++) { /* little-endian or big, as the machine */
        const size_t position = *(const char *)&(const int16_t){1} ? byte : bytes - 1 - byte;
        bits |= (uint64_t)((const uint8_t *)tensor->data)[(size_t)i * bytes + position] << 8 * byte;
    }
    if (tensor->type == OPMILL_INT8 || tensor->type == OPMILL_INT16 ||
        tensor->type == OPMILL_INT32 || tensor->type == OPMILL_INT64) {
        bits ^= (uint64_t)1 << (8 * bytes - 1);
    }
    return bits;
}

/* Whether an element is to be taken in place of another: a NaN, or one that is beyond it. */
static bool beats(const opmill_tensor *a, int64_t i, const opmill_tensor *b, int64_t k, bool max) {
    if (!is_floating(a)) {
        const uint64_t x = order_of(a, i), y = order_of(b, k);
        return max ? x > y : x < y;
    }
    const double x = get_real(a->data, a->type, i), y = get_real(b->data, b->type, k);
    return y == y && (x != x || (max ? x > y : x < y));
}

/* A sum of doubles has to be rounded where the arithmetic is that of float. */
static double in_arithmetic(double x, int32_t type) {
    return type == OPMILL_DOUBLE ? x : (double)(float)x;
}

void reference_elementwise_variadic(const opmill_operator *operator,
                                    const opmill_tensor *const *inputs, int32_t input_count,
                                    const void *attributes, const opmill_tensor *const *outputs,
                                    int32_t output_count) {
    const char *const function = family_parameter(operator, "function");
    const bool max = strcmp(function, "max") == 0, min = strcmp(function, "min") == 0;
    const opmill_tensor *const output = outputs[0];
    const int32_t type = output->type;
    int64_t index[OPMILL_MAX_RANK] = {0}, at = 0;
    (void)attributes;
    (void)output_count;
    if (count_of(output->dims, output->rank) == 0) {
        return;
    }
    do {
        int64_t best_at = position_in(inputs[0], index, output->rank);
        int32_t best = 0;
        double sum = is_floating(output) ? get_real(inputs[0]->data, type, best_at) : 0;
        for (int32_t k = 1; k < input_count; k++) {
            const int64_t own = position_in(inputs[k], index, output->rank);
            if (max || min) {
                if (beats(inputs[k], own, inputs[best], best_at, max)) {
                    best = k;
                    best_at = own;
                }
            } else { /* a double holds the sum of two floats, or rounds it so that it is right */
                sum = in_arithmetic(sum + get_real(inputs[k]->data, type, own), type);
            }
        }
        if (max || min) {
            copy_element(output, at++, inputs[best], best_at);
        } else {
            const bool mean = strcmp(function, "mean") == 0;
            set_real(output->data, type, at++, mean ? in_arithmetic(sum / input_count, type) : sum);
        }
    } while (next_index(index, output->dims, output->rank));
}
