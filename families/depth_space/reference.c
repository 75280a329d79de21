/* Each pixel of the larger picture has its channel of the deeper one. */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_depth_space(const opmill_operator *operator, const opmill_tensor *const *inputs,
                           int32_t input_count, const void *attributes,
                           const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const input = inputs[0];
    const opmill_tensor *const output = outputs[0];
    const int64_t block = int_of(operator, attributes, "blocksize", 1);
    const char *const *const mode = attribute_of(operator, attributes, "mode");
    const bool deep_first = mode == NULL || strcmp(*mode, "DCR") == 0;
    const bool to_space = strcmp(operator->name, "DepthToSpace") == 0;
    const opmill_tensor *const large = to_space ? output : input;
    const opmill_tensor *const deep = to_space ? input : output;
    const int64_t depth = large->dims[1];
    int64_t index[OPMILL_MAX_RANK] = {0}, position = 0;
    int more = count_of(large->dims, large->rank) > 0;
    (void)input_count;
    (void)output_count;
    while (more) {
        const int64_t row = index[2] % block, column = index[3] % block;
        const int64_t channel = deep_first ? (row * block + column) * depth + index[1]
                                           : (index[1] * block + row) * block + column;
        const int64_t other[] = {index[0], channel, index[2] / block, index[3] / block};
        const int64_t at = position_of(other, deep->dims, 4);
        if (to_space) {
            copy_element(output, position, input, at);
        } else {
            copy_element(output, at, input, position);
        }
        position++;
        more = next_index(index, large->dims, large->rank);
    }
}
