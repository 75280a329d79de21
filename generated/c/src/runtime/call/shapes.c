/* Stores the next shape of a variadic output during a rule, or compares it with the output that the
 * caller passed. */
#include "runtime/call/shapes.h"

#include "runtime/numbers/elements.h"

static bool has_dims(const opmill_tensor *tensor, opmill_ints dims) {
    return tensor != NULL && (tensor->dims != NULL || tensor->rank == 0) &&
           opmill_same_ints(opmill_dims(tensor), dims);
}

void opmill_give_shape(opmill_shapes *shapes, opmill_ints dims) {
    const int32_t at = shapes->given, type = opmill_shapes_type(shapes, at);
    size_t bytes;
    if (at == shapes->count || type == OPMILL_UNDEFINED) {
        return;
    }
    shapes->given++;
    for (int64_t i = 0; i < dims.count && shapes->negative == 0; i++) {
        shapes->negative = dims.values[i] < 0 ? dims.values[i] : 0;
    }
    shapes->too_large = shapes->too_large || dims.count > OPMILL_MAX_RANK ||
                        !opmill_tensor_bytes(dims.values, (int32_t)dims.count, type, &bytes);
    if (shapes->stored != NULL) {
        opmill_set_shape(&shapes->stored[at], dims);
        shapes->stored[at].type = type;
    } else if (shapes->offered != NULL && shapes->unlike == shapes->count &&
               !has_dims(shapes->offered[at], dims)) {
        opmill_set_shape(&shapes->wanted, dims);
        shapes->unlike = at;
    }
}
