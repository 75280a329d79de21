/* ConstantOfShape: the copy engine repeats one element; where that is less than a byte, a byte that
 * is full of it. */
#include "families/fill/kernel.h"

#include <string.h>

#include "runtime/copy/copy.h"
#include "runtime/numbers/elements.h"

/* A byte that repeats the lowest `bits` of another, which divide 8. */
static unsigned char full_byte(unsigned char element, int32_t bits) {
    const unsigned lowest = element & ((1u << bits) - 1);
    unsigned filled = 0;
    for (int32_t at = 0; at < 8; at += bits) {
        filled |= lowest << at;
    }
    return (unsigned char)filled;
}

/* Elements below a byte; the bits after the last one are 0. */
static void fill_packed(unsigned char byte, int32_t bits, opmill_tensor *output, size_t bytes) {
    int32_t last = 1; /* elements of the last byte, counted modulo those of a byte */
    for (int32_t i = 0; i < output->rank; i++) {
        last = (int32_t)(last * (output->dims[i] % 8) % 8);
    }
    memset(output->data, byte, bytes);
    const int32_t last_bits = last * bits % 8;
    if (last_bits > 0) {
        ((unsigned char *)output->data)[bytes - 1] &= (unsigned char)((1u << last_bits) - 1);
    }
}

int opmill_fill_compute(const opmill_tensor *input, opmill_tensor *output,
                        const opmill_fill_plan *plan, opmill_context *context) {
    static const unsigned char zero[16] = {0};
    const unsigned char *const element = plan->value.data != NULL ? plan->value.data : zero;
    const int32_t bits = opmill_type_bits(output->type);
    size_t bytes = 0;
    (void)input;
    opmill_tensor_bytes(output->dims, output->rank, output->type, &bytes);
    if (bytes == 0) {
        return OPMILL_OK;
    }
    if (bits < 8) {
        fill_packed(full_byte(element[0], bits), bits, output, bytes);
        return OPMILL_OK;
    }
    opmill_copy copy;
    opmill_copy_begin(&copy, bits / 8);
    opmill_copy_repeat(&copy, (int64_t)(bytes / (size_t)(bits / 8)));
    opmill_copy_run(&copy, element, output->data, context);
    return OPMILL_OK;
}
