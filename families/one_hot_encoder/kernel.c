/* OneHotEncoder: each element is compared with the categories, as many as its row of the output has
 * elements, so that a table of them would save little. */
#include "families/one_hot_encoder/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/call/message.h"

static int64_t position_of_text(const opmill_tensor *categories, const char *text) {
    int64_t i = categories->dims[0] - 1;
    while (i >= 0 && strcmp(((const char *const *)categories->data)[i], text) != 0) {
        i--;
    }
    return i;
}

static int64_t position_of_integer(const opmill_tensor *categories, int64_t value) {
    int64_t i = categories->dims[0] - 1;
    while (i >= 0 && ((const int64_t *)categories->data)[i] != value) {
        i--;
    }
    return i;
}

static int64_t position_of_real(const opmill_tensor *categories, double value) {
    const double whole = trunc(value);
    return whole >= -0x1p63 && whole < 0x1p63 ? position_of_integer(categories, (int64_t)whole)
                                              : -1;
}

/* The last category that an element equals; -1 where it has none. */
static int64_t position_of(const opmill_one_hot_encoder_plan *plan, const opmill_tensor *X,
                           int64_t i) {
    switch (X->type) {
    case OPMILL_STRING:
        return position_of_text(&plan->cats_strings, ((const char *const *)X->data)[i]);
    case OPMILL_FLOAT:
        return position_of_real(&plan->cats_int64s, (double)((const float *)X->data)[i]);
    case OPMILL_DOUBLE:
        return position_of_real(&plan->cats_int64s, ((const double *)X->data)[i]);
    case OPMILL_INT32:
        return position_of_integer(&plan->cats_int64s, ((const int32_t *)X->data)[i]);
    default:
        return position_of_integer(&plan->cats_int64s, ((const int64_t *)X->data)[i]);
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
    for (int32_t i = 0; i < X->rank; i++) {
        count *= X->dims[i];
    }
    for (int64_t i = 0; !plan->zeros && i < count; i++) {
        if (position_of(plan, X, i) < 0) {
            return refuse(X, i, context);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t position = position_of(plan, X, i);
        memset(y + i * categories, 0, (size_t)categories * sizeof *y);
        if (position >= 0) {
            y[i * categories + position] = 1;
        }
    }
    return OPMILL_OK;
}
