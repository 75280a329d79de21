/* Each element is kept or not by its row and column. */
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_triangle(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes,
                        const opmill_tensor *const *outputs, int32_t output_count) {
    static const char *const EMPTY = "";
    const opmill_tensor *const input = inputs[0];
    const opmill_tensor *const output = outputs[0];
    const opmill_tensor *const k = input_count > 1 ? inputs[1] : NULL;
    const int64_t diagonal = k != NULL ? *(const int64_t *)k->data : 0;
    const bool upper = int_of(operator, attributes, "upper", 1) != 0;
    const size_t bytes = type_bytes(input->type, 1);
    int64_t index[OPMILL_MAX_RANK] = {0}, position = 0;
    int more = count_of(input->dims, input->rank) > 0;
    (void)output_count;
    while (more) {
        const int64_t distance = index[input->rank - 1] - index[input->rank - 2];
        char *const to = (char *)output->data + (size_t)position * bytes;
        if (upper ? distance >= diagonal : distance <= diagonal) {
            copy_element(output, position, input, position);
        } else if (input->type == OPMILL_STRING) {
            memcpy(to, &EMPTY, sizeof EMPTY);
        } else {
            memset(to, 0, bytes);
        }
        position++;
        more = next_index(index, input->dims, input->rank);
    }
}
