/* A copy of the cache, which takes one element of the update after the other.
 */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_tensor_scatter(const opmill_operator *operator, const opmill_tensor *const *inputs,
                              int32_t input_count, const void *attributes,
                              const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const past = inputs[0], *const update = inputs[1];
    const opmill_tensor *const begins = input_count > 2 ? inputs[2] : NULL;
    const int64_t axis = axis_of(operator, attributes, past->rank, 0);
    int64_t index[OPMILL_MAX_RANK] = {0}, target[OPMILL_MAX_RANK], position = 0;
    bool more = count_of(update->dims, update->rank) > 0;
    (void)output_count;
    clear_last_byte(outputs[0]);
    for (int64_t i = 0; i < count_of(past->dims, past->rank); i++) {
        copy_element(outputs[0], i, past, i);
    }
    while (more) {
        const int64_t length = past->dims[axis];
        int64_t begin = begins != NULL ? ((const int64_t *)begins->data)[index[0]] : 0;
        begin %= length; /* which linear mode leaves as it is, but for no elements
                            at the end */
        memcpy(target, index, sizeof target);
        target[axis] = (index[axis] + begin + length) % length;
        copy_element(outputs[0], position_of(target, past->dims, past->rank), update, position++);
        more = next_index(index, update->dims, update->rank) != 0;
    }
}
