/* LabelEncoder: the keys enter a table, in which each element is looked up. */
#include "families/label_encoder/kernel.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/estimators/lookup.h"

/* The one of four lists that is present. */
static const opmill_tensor *present(const opmill_tensor *a, const opmill_tensor *b,
                                    const opmill_tensor *c, const opmill_tensor *d) {
    return a->type != OPMILL_UNDEFINED   ? a
           : b->type != OPMILL_UNDEFINED ? b
           : c->type != OPMILL_UNDEFINED ? c
                                         : d;
}

static const opmill_tensor *keys_of(const opmill_label_encoder_plan *plan) {
    return present(&plan->keys_floats, &plan->keys_int64s, &plan->keys_strings, &plan->keys_tensor);
}

static const void *default_of(const opmill_label_encoder_plan *plan, int32_t type) {
    static const int16_t minus_int16 = -1;
    static const int32_t minus_int32 = -1;
    static const double minus_zero = -0.0;
    if (plan->default_tensor.type != OPMILL_UNDEFINED) {
        return plan->default_tensor.data;
    }
    switch (type) {
    case OPMILL_FLOAT:
        return plan->default_float.data;
    case OPMILL_INT64:
        return plan->default_int64.data;
    case OPMILL_STRING:
        return plan->default_string.data;
    case OPMILL_INT16:
        return &minus_int16;
    case OPMILL_INT32:
        return &minus_int32;
    default:
        return &minus_zero;
    }
}

size_t opmill_label_encoder_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                            const opmill_label_encoder_plan *plan,
                                            const opmill_context *context) {
    (void)X;
    (void)Y;
    (void)context;
    return opmill_lookup_bytes(keys_of(plan)->dims[0]);
}

int opmill_label_encoder_compute(const opmill_tensor *X, opmill_tensor *Y,
                                 const opmill_label_encoder_plan *plan, opmill_context *context) {
    const opmill_tensor *const values = present(&plan->values_floats, &plan->values_int64s,
                                                &plan->values_strings, &plan->values_tensor);
    const void *const otherwise = default_of(plan, Y->type);
    const size_t bytes = (size_t)opmill_type_bytes(Y->type);
    const char *const *const texts = X->data;
    int64_t count = 1;
    opmill_lookup lookup;
    for (int32_t i = 0; i < X->rank; i++) {
        count *= X->dims[i];
    }
    opmill_lookup_begin(&lookup, keys_of(plan), context->workspace);
    for (int64_t i = 0; i < count; i++) {
        const int64_t position = X->type == OPMILL_STRING
                                     ? opmill_lookup_text(&lookup, texts[i])
                                     : opmill_lookup_number(&lookup, opmill_lookup_code(X, i));
        memcpy((char *)Y->data + (size_t)i * bytes,
               position < 0 ? otherwise
                            : (const void *)((const char *)values->data + (size_t)position * bytes),
               bytes);
    }
    return OPMILL_OK;
}
