/* Stores the next shape of a variadic output during a rule, or compares it with the output that the
 * caller passed. Counts those of a sequence, and creates its tensors in a block. */
#include "runtime/call/shapes.h"

#include "runtime/call/block.h"
#include "runtime/numbers/elements.h"

static bool has_dims(const opmill_tensor *tensor, opmill_ints dims) {
    return tensor != NULL && (tensor->dims != NULL || tensor->rank == 0) &&
           opmill_same_ints(opmill_dims(tensor), dims);
}

/* The next multiple of the alignment; SIZE_MAX where that is larger. */
static size_t aligned(size_t bytes) {
    const size_t more = opmill_block_add(bytes, OPMILL_ITEM_ALIGNMENT - 1);
    return more == SIZE_MAX ? more : more - more % OPMILL_ITEM_ALIGNMENT;
}

/* A tensor, its dims, its elements. */
static void create_item(opmill_shapes *shapes, opmill_ints dims, size_t bytes) {
    const size_t dims_at = opmill_block_add(shapes->bytes, aligned(sizeof(opmill_tensor)));
    const size_t dims_bytes = (size_t)dims.count * sizeof *dims.values;
    const size_t data_at = aligned(opmill_block_add(dims_at, dims_bytes));
    if (shapes->block != NULL) {
        opmill_tensor *const item = (void *)(shapes->block + shapes->bytes);
        int64_t *const copy = (void *)(shapes->block + dims_at);
        for (int64_t i = 0; i < dims.count; i++) {
            copy[i] = dims.values[i];
        }
        *item = (opmill_tensor){shapes->block + data_at, copy, (int32_t)dims.count, shapes->type};
        shapes->items[shapes->given] = item;
    }
    shapes->bytes = aligned(opmill_block_add(data_at, bytes));
    shapes->too_large = shapes->too_large || shapes->bytes > PTRDIFF_MAX;
}

void opmill_give_shape(opmill_shapes *shapes, opmill_ints dims) {
    const int32_t at = shapes->given, type = opmill_shapes_type(shapes, at);
    size_t bytes = 0;
    if (at == shapes->count || type == OPMILL_UNDEFINED) {
        shapes->too_large = shapes->too_large || (shapes->is_sequence && at == shapes->count);
        return;
    }
    for (int64_t i = 0; i < dims.count && shapes->negative == 0; i++) {
        shapes->negative = dims.values[i] < 0 ? dims.values[i] : 0;
    }
    shapes->too_large = shapes->too_large || dims.count > OPMILL_MAX_RANK ||
                        !opmill_tensor_bytes(dims.values, (int32_t)dims.count, type, &bytes);
    if (shapes->creates && !shapes->too_large && shapes->negative == 0) {
        create_item(shapes, dims, bytes);
    }
    shapes->given++;
    if (shapes->stored != NULL) {
        opmill_set_shape(&shapes->stored[at], dims);
        shapes->stored[at].type = type;
    } else if (shapes->offered != NULL && shapes->unlike == shapes->count &&
               !has_dims(shapes->offered[at], dims)) {
        opmill_set_shape(&shapes->wanted, dims);
        shapes->unlike = at;
    }
}
