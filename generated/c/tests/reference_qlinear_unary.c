/* Functions of quantised elements, one after the other; each step is rounded to float. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static float number_at(const opmill_tensor *tensor, int64_t i) {
    if (tensor == NULL) {
        return 0;
    }
    return tensor->type == OPMILL_INT8    ? (float)((const int8_t *)tensor->data)[i]
           : tensor->type == OPMILL_UINT8 ? (float)((const uint8_t *)tensor->data)[i]
                                          : ((const float *)tensor->data)[i];
}

void reference_qlinear_unary(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, const void *attributes,
                             const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const float *const alpha = attribute_of(operator, attributes, "alpha");
    const float zero = number_at(inputs[2], 0);
    const float moved = number_at(input_count > 4 ? inputs[4] : NULL, 0);
    const float low = y->type == OPMILL_INT8 ? -128 : 0, high = y->type == OPMILL_INT8 ? 127 : 255;
    (void)output_count;
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        volatile float number = number_at(x, i) - zero; /* so that each step is rounded */
        number = number * number_at(inputs[1], 0);
        if (strcmp(family_parameter(operator, "function"), "sigmoid") == 0) {
            number = (float)(1 / (1 + expl(-(long double)number)));
        } else if (!(number >= 0)) {
            number = number * *alpha;
        }
        number = number / number_at(inputs[3], 0);
        number = rintf(number) + moved;
        set_whole(y->data, y->type, i,
                  number > high  ? (int64_t)high
                  : number > low ? (int64_t)number
                                 : (int64_t)low);
    }
}
