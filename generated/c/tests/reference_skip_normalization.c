/* Rows of a sum, one after the other and one element after the other, in double. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static const opmill_tensor *named(const opmill_operator *operator, const char *name,
                                  const opmill_tensor *const *inputs, int32_t input_count) {
    for (int32_t i = 0; i < input_count; i++) {
        if (strcmp(operator->inputs[i].name, name) == 0) {
            return inputs[i];
        }
    }
    return NULL;
}

void reference_skip_normalization(const opmill_operator *operator,
                                  const opmill_tensor *const *inputs, int32_t input_count,
                                  const void *attributes, const opmill_tensor *const *outputs,
                                  int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const skip = inputs[1], *const gamma = inputs[2];
    const opmill_tensor *const beta = named(operator, "beta", inputs, input_count);
    const opmill_tensor *const bias = named(operator, "bias", inputs, input_count);
    const double epsilon = *(const float *)attribute_of(operator, attributes, "epsilon");
    const bool centered = strcmp(family_parameter(operator, "centered"), "true") == 0;
    const int64_t length = x->dims[x->rank - 1], count = count_of(x->dims, x->rank);
    const int64_t skips = count_of(skip->dims, skip->rank);
    for (int64_t first = 0; first < count; first += length) {
        double mean = 0, squares = 0;
        for (int pass = 0; pass < 3; pass++) { /* the mean, the squares, the results */
            for (int64_t i = 0; i < length; i++) {
                float sum = (float)(get_real(x->data, x->type, first + i) +
                                    get_real(skip->data, x->type, (first + i) % skips));
                if (bias != NULL) {
                    sum = (float)((double)sum + get_real(bias->data, x->type, i));
                }
                const double distance = (double)sum - mean;
                if (pass == 0) {
                    squares += distance;
                } else if (pass == 1) {
                    squares += distance * distance;
                } else {
                    double y = distance * squares * get_real(gamma->data, x->type, i);
                    y += beta == NULL ? 0 : get_real(beta->data, x->type, i);
                    set_real(outputs[0]->data, x->type, first + i, y);
                    if (output_count > 3 && outputs[3] != NULL) {
                        set_real(outputs[3]->data, x->type, first + i, (double)sum);
                    }
                }
            }
            if (pass == 0) {
                mean = centered ? squares / (double)length : 0;
                squares = 0;
            } else if (pass == 1) {
                squares = 1 / sqrt(squares / (double)length + epsilon);
            }
        }
        if (output_count > 1 && outputs[1] != NULL) {
            set_real(outputs[1]->data, OPMILL_FLOAT, first / length, mean);
        }
        if (output_count > 2 && outputs[2] != NULL) {
            set_real(outputs[2]->data, OPMILL_FLOAT, first / length, squares);
        }
    }
}
