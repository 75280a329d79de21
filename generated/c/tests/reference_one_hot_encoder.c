/* Each element beside each category, from the last one on. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static bool is_category(const opmill_tensor *x, int64_t i, const opmill_ints *integers,
                        const opmill_strings *texts, int64_t k) {
    switch (x->type) {
    case OPMILL_STRING:
        return strcmp(((const char *const *)x->data)[i], texts->values[k]) == 0;
    case OPMILL_INT64:
        return ((const int64_t *)x->data)[i] == integers->values[k];
    default: {
        const double whole = trunc(get_real(x->data, x->type, i));
        return whole >= -0x1p63 && whole < 0x1p63 && (int64_t)whole == integers->values[k];
    }
    }
}

void reference_one_hot_encoder(const opmill_operator *operator, const opmill_tensor *const *inputs,
                               int32_t input_count, const void *attributes,
                               const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    const opmill_ints *const integers = attribute_of(operator, attributes, "cats_int64s");
    const opmill_strings *const texts = attribute_of(operator, attributes, "cats_strings");
    const int64_t count = outputs[0]->dims[x->rank];
    float *const y = outputs[0]->data;
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        bool is_found = false;
        for (int64_t k = count - 1; k >= 0; k--) {
            const bool is_this = !is_found && is_category(x, i, integers, texts, k);
            y[i * count + k] = is_this ? 1 : 0;
            is_found = is_found || is_this;
        }
    }
}
