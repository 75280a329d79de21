/* MaxUnpool: zeros, and then the elements in row-major order, so that of equal indices the last one
 * remains. All indices are checked before. */
#include "families/max_unpool/kernel.h"

#include <string.h>

#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"

static void put_16(const void *from, const opmill_tensor *indices, int64_t elements, int64_t last,
                   void *to) {
    const uint16_t *const in = from;
    uint16_t *const out = to;
    for (int64_t i = 0; i < elements; i++) {
        out[opmill_bounds_read(indices, i, 0, last)] = in[i];
    }
}

static void put_32(const void *from, const opmill_tensor *indices, int64_t elements, int64_t last,
                   void *to) {
    const uint32_t *const in = from;
    uint32_t *const out = to;
    for (int64_t i = 0; i < elements; i++) {
        out[opmill_bounds_read(indices, i, 0, last)] = in[i];
    }
}

static void put_64(const void *from, const opmill_tensor *indices, int64_t elements, int64_t last,
                   void *to) {
    const uint64_t *const in = from;
    uint64_t *const out = to;
    for (int64_t i = 0; i < elements; i++) {
        out[opmill_bounds_read(indices, i, 0, last)] = in[i];
    }
}

int opmill_max_unpool_compute(const opmill_tensor *X, const opmill_tensor *I, opmill_tensor *output,
                              const opmill_max_unpool_plan *plan, opmill_context *context) {
    const int32_t bytes = opmill_type_bytes(X->type);
    int64_t elements = 1, size = 1;
    (void)plan;
    for (int32_t i = 0; i < X->rank; i++) {
        elements *= X->dims[i];
        size *= output->dims[i];
    }
    if (!opmill_bounds_check(I, "I", 0, size - 1, context)) {
        return OPMILL_ERROR_CALL;
    }
    if (size == 0) {
        return OPMILL_OK;
    }
    memset(output->data, 0, (size_t)size * (size_t)bytes);
    if (bytes == 2) {
        put_16(X->data, I, elements, size - 1, output->data);
    } else if (bytes == 4) {
        put_32(X->data, I, elements, size - 1, output->data);
    } else {
        put_64(X->data, I, elements, size - 1, output->data);
    }
    return OPMILL_OK;
}
