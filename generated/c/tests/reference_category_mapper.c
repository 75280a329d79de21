/* Each element beside each string, or beside each integer, from the last one on. */
#include <stdbool.h>
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_category_mapper(const opmill_operator *operator, const opmill_tensor *const *inputs,
                               int32_t input_count, const void *attributes,
                               const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const bool is_pairs = strcmp(operator->name, "CategoryMapper") == 0;
    const opmill_ints *const integers =
        is_pairs ? attribute_of(operator, attributes, "cats_int64s") : NULL;
    const opmill_strings *const texts =
        attribute_of(operator, attributes, is_pairs ? "cats_strings" : "classes_strings");
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        const bool is_text = x->type == OPMILL_STRING;
        int64_t k = texts->count - 1;
        for (; k >= 0; k--) {
            const int64_t integer = is_pairs ? integers->values[k] : k;
            if (is_text ? strcmp(((const char *const *)x->data)[i], texts->values[k]) == 0
                        : ((const int64_t *)x->data)[i] == integer) {
                break;
            }
        }
        if (is_text) {
            const int64_t *const other = attribute_of(operator, attributes, "default_int64");
            ((int64_t *)y->data)[i] = k < 0 ? *other : is_pairs ? integers->values[k] : k;
        } else {
            const char *const *const other = attribute_of(operator, attributes, "default_string");
            ((const char **)y->data)[i] = k < 0 ? *other : texts->values[k];
        }
    }
}
