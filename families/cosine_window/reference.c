/* Each point with the cosine of the C library. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_cosine_window(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, const void *attributes,
                             const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const output = outputs[0];
    const int64_t periodic = *(const int64_t *)attribute_of(operator, attributes, "periodic");
    const char *const window = family_parameter(operator, "window");
    const int64_t size = output->dims[0], period = periodic != 0 ? size : size - 1;
    const int32_t type = output->type;
    const bool real = type == OPMILL_FLOAT || type == OPMILL_DOUBLE || type == OPMILL_FLOAT16 ||
                      type == OPMILL_BFLOAT16;
    (void)inputs;
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < size; i++) {
        const double turn = 2 * 3.14159265358979323846 * (double)i / (double)period;
        double y = 0.5 - 0.5 * cos(turn);
        if (strcmp(window, "blackman") == 0) {
            y = 0.42 - 0.5 * cos(turn) + 0.08 * cos(2 * turn);
        } else if (strcmp(window, "hamming") == 0) {
            y = 25.0 / 46 - 21.0 / 46 * cos(turn);
        }
        if (real) {
            set_real(output->data, type, i, period == 0 ? (double)NAN : y);
        } else {
            set_whole(output->data, type, i, period != 0 && 2 * i == period ? 1 : 0);
        }
    }
}
