/* ArrayFeatureExtractor: elements of each row, at positions that are checked first. */
#include "families/array_feature_extractor/kernel.h"

#include <stdint.h>

#include "runtime/numbers/elements.h"
#include "runtime/call/message.h"
#include "runtime/copy/slices.h"

static void report(const opmill_tensor *X, const opmill_tensor *Y, int64_t position,
                   opmill_context *context) {
    const int64_t size = X->dims[X->rank - 1], value = ((const int64_t *)Y->data)[position];
    int64_t index[OPMILL_MAX_RANK];
    for (int32_t i = Y->rank - 1; i >= 0; i--) {
        index[i] = position % Y->dims[i];
        position /= Y->dims[i];
    }
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "Y");
    if (Y->rank > 0) {
        opmill_put_ints(&message, index, Y->rank);
    }
    opmill_put_text(&message, " = ");
    opmill_put_int(&message, value);
    opmill_put_text(&message, " is out of range for axis ");
    opmill_put_int(&message, X->rank - 1);
    opmill_put_text(&message, " of X, expected ");
    if (size == 0) {
        opmill_put_text(&message, "no index (the axis is empty)");
        return;
    }
    opmill_put_text(&message, "0 to ");
    opmill_put_int(&message, size - 1);
}

int opmill_array_feature_extractor_compute(const opmill_tensor *X, const opmill_tensor *Y,
                                           opmill_tensor *Z,
                                           const opmill_array_feature_extractor_plan *plan,
                                           opmill_context *context) {
    const int64_t *const indices = Y->data;
    const int64_t size = X->dims[X->rank - 1], count = Z->dims[Z->rank - 1];
    const int64_t bytes = opmill_type_bytes(X->type);
    int64_t rows = 1;
    (void)plan;
    for (int64_t i = 0; i < count; i++) {
        if (indices[i] < 0 || indices[i] >= size) {
            report(X, Y, i, context);
            return OPMILL_ERROR_CALL;
        }
    }
    for (int32_t i = 0; i + 1 < X->rank; i++) {
        rows *= X->dims[i];
    }
    for (int64_t row = 0; count > 0 && row < rows; row++) {
        opmill_move_slices((uint8_t *)Z->data + row * count * bytes,
                           (const uint8_t *)X->data + row * size * bytes, indices, count, bytes);
    }
    return OPMILL_OK;
}
