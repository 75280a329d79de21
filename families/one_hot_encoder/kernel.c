/* OneHotEncoder: the categories enter a table, in which each element is looked up. */
#include "families/one_hot_encoder/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/lookup.h"
#include "runtime/message.h"

static const opmill_tensor *categories_of(const opmill_one_hot_encoder_plan *plan) {
    return plan->cats_strings.type == OPMILL_STRING ? &plan->cats_strings : &plan->cats_int64s;
}

size_t opmill_one_hot_encoder_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                              const opmill_one_hot_encoder_plan *plan,
                                              const opmill_context *context) {
    (void)X;
    (void)Y;
    (void)context;
    return opmill_lookup_bytes(categories_of(plan)->dims[0]);
}

static int64_t position_of_real(const opmill_lookup *lookup, double value) {
    const double whole = trunc(value);
    return whole >= -0x1p63 && whole < 0x1p63
               ? opmill_lookup_number(lookup, opmill_lookup_integer((int64_t)whole))
               : -1;
}

/* The category of an element; -1 where it has none. */
static int64_t position_of(const opmill_lookup *lookup, const opmill_tensor *X, int64_t i) {
    switch (X->type) {
    case OPMILL_STRING:
        return opmill_lookup_text(lookup, ((const char *const *)X->data)[i]);
    case OPMILL_FLOAT:
        return position_of_real(lookup, (double)((const float *)X->data)[i]);
    case OPMILL_DOUBLE:
        return position_of_real(lookup, ((const double *)X->data)[i]);
    default:
        return opmill_lookup_number(lookup, opmill_lookup_code(X, i));
    }
}

static int refuse(const opmill_tensor *X, int64_t position, opmill_context *context) {
    int64_t index[OPMILL_MAX_RANK];
    for (int32_t i = X->rank - 1; i >= 0; i--) {
        index[i] = position % X->dims[i];
        position /= X->dims[i];
    }
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "X");
    if (X->rank > 0) {
        opmill_put_ints(&message, index, X->rank);
    }
    opmill_put_text(&message, " has no category, expected one");
    return OPMILL_ERROR_CALL;
}

int opmill_one_hot_encoder_compute(const opmill_tensor *X, opmill_tensor *Y,
                                   const opmill_one_hot_encoder_plan *plan,
                                   opmill_context *context) {
    const int64_t categories = Y->dims[Y->rank - 1];
    float *const y = Y->data;
    int64_t count = 1;
    opmill_lookup lookup;
    for (int32_t i = 0; i < X->rank; i++) {
        count *= X->dims[i];
    }
    opmill_lookup_begin(&lookup, categories_of(plan), context->workspace);
    for (int64_t i = 0; !plan->zeros && i < count; i++) {
        if (position_of(&lookup, X, i) < 0) {
            return refuse(X, i, context);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t position = position_of(&lookup, X, i);
        memset(y + i * categories, 0, (size_t)categories * sizeof *y);
        if (position >= 0) {
            y[i * categories + position] = 1;
        }
    }
    return OPMILL_OK;
}
