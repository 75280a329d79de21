/* Each element beside each key, from the last one on. */
#include <stdbool.h>
#include <string.h>

#include "reference.h"
#include "values.h"

/* A list of keys or of values: an attribute of one of four names. */
static opmill_tensor list_of(const opmill_operator *operator, const void *attributes,
                             const char *const names[4], int64_t *count) {
    static const int32_t types[] = {OPMILL_FLOAT, OPMILL_INT64, OPMILL_STRING};
    for (int i = 0; i < 3; i++) {
        const opmill_ints *const list = attribute_of(operator, attributes, names[i]);
        if (list->count >= 0) {
            *count = list->count;
            return (opmill_tensor){.data = (void *)(uintptr_t)list->values, .type = types[i]};
        }
    }
    const opmill_tensor *const *const tensor = attribute_of(operator, attributes, names[3]);
    *count = (*tensor)->dims[0];
    return **tensor;
}

static bool is_equal(const opmill_tensor *x, int64_t i, const opmill_tensor *keys, int64_t k) {
    if (x->type == OPMILL_STRING) {
        return strcmp(((const char *const *)x->data)[i], ((const char *const *)keys->data)[k]) == 0;
    }
    if (x->type == OPMILL_FLOAT || x->type == OPMILL_DOUBLE) {
        const double a = get_real(x->data, x->type, i), b = get_real(keys->data, x->type, k);
        return a == b || (a != a && b != b);
    }
    const size_t bytes = type_bytes(x->type, 1);
    return memcmp((const char *)x->data + type_bytes(x->type, i),
                  (const char *)keys->data + type_bytes(x->type, k), bytes) == 0;
}

void reference_label_encoder(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, const void *attributes,
                             const opmill_tensor *const *outputs, int32_t output_count) {
    static const char *const key_names[] = {"keys_floats", "keys_int64s", "keys_strings",
                                            "keys_tensor"};
    static const char *const value_names[] = {"values_floats", "values_int64s", "values_strings",
                                              "values_tensor"};
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const opmill_tensor *const *const only = attribute_of(operator, attributes, "default_tensor");
    int64_t count = 0;
    const opmill_tensor keys = list_of(operator, attributes, key_names, &count);
    const opmill_tensor values = list_of(operator, attributes, value_names, &count);
    const size_t bytes = type_bytes(y->type, 1);
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        char *const to = (char *)y->data + (size_t)i * bytes;
        int64_t k = count - 1;
        while (k >= 0 && !is_equal(x, i, &keys, k)) {
            k--;
        }
        if (k >= 0) {
            memcpy(to, (const char *)values.data + (size_t)k * bytes, bytes);
        } else if (only != NULL && *only != NULL) {
            memcpy(to, (*only)->data, bytes);
        } else if (y->type == OPMILL_FLOAT || y->type == OPMILL_INT64 || y->type == OPMILL_STRING) {
            memcpy(to,
                   attribute_of(operator, attributes,
                                y->type == OPMILL_FLOAT   ? "default_float"
                                : y->type == OPMILL_INT64 ? "default_int64"
                                                          : "default_string"),
                   bytes);
        } else if (y->type == OPMILL_DOUBLE) {
            set_real(y->data, y->type, i, -0.0);
        } else {
            set_whole(y->data, y->type, i, -1);
        }
    }
}
