/* EyeLike: bytes of 0, and a 1 of the type on each row that the diagonal crosses. */
#include "families/eye/kernel.h"

#include <string.h>

#include "runtime/numbers/elements.h"

/* The bytes of 1 in the element type, at the beginning of `one`. */
static void set_one(int32_t type, int32_t bytes, void *one) {
    const float of_float = 1.0f;
    const double of_double = 1.0;
    const uint64_t wide = 1;
    const uint32_t whole = 1;
    const uint16_t narrow = type == OPMILL_FLOAT16 ? 0x3c00 : type == OPMILL_BFLOAT16 ? 0x3f80 : 1;
    const uint8_t byte = 1;
    const void *const from = type == OPMILL_FLOAT    ? (const void *)&of_float
                             : type == OPMILL_DOUBLE ? (const void *)&of_double
                             : bytes == 8            ? (const void *)&wide
                             : bytes == 4            ? (const void *)&whole
                             : bytes == 2            ? (const void *)&narrow
                                                     : (const void *)&byte;
    memcpy(one, from, (size_t)bytes);
}

int opmill_eye_compute(const opmill_tensor *input, opmill_tensor *output,
                       const opmill_eye_plan *plan, opmill_context *context) {
    const int64_t rows = output->dims[0], columns = output->dims[1], k = plan->k;
    const int32_t bytes = opmill_type_bytes(output->type);
    (void)input;
    (void)context;
    if (rows == 0 || columns == 0) {
        return OPMILL_OK;
    }
    memset(output->data, 0, (size_t)rows * (size_t)columns * (size_t)bytes);
    if (k >= columns || k <= -rows) {
        return OPMILL_OK;
    }
    unsigned char one[8];
    set_one(output->type, bytes, one);
    int64_t row = k < 0 ? -k : 0;
    for (int64_t column = row + k; row < rows && column < columns; row++, column++) {
        memcpy((unsigned char *)output->data + (row * columns + column) * bytes, one,
               (size_t)bytes);
    }
    return OPMILL_OK;
}
