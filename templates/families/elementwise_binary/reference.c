/* One element after the other, each from the elements at the same index, an axis of 1 read at 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

/* Sums wrap around: of the bits, whatever they stand for. */
static void add(const opmill_tensor *a, int64_t i, const opmill_tensor *b, int64_t k,
                const opmill_tensor *c, int64_t at) {
    uint64_t x = 0, y = 0;
    const size_t bytes = type_bytes(c->type, 1);
    switch (c->type) {
    case OPMILL_FLOAT:
        ((float *)c->data)[at] = ((const float *)a->data)[i] + ((const float *)b->data)[k];
        return;
    case OPMILL_DOUBLE:
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16: /* a double holds the sum of two halves exactly, or rounds it once */
        set_real(c->data, c->type, at,
                 get_real(a->data, a->type, i) + get_real(b->data, b->type, k));
        return;
    default:
        for (size_t byte = 0; byte < bytes; byte++) { /* little-endian or big, as the machine */
            const size_t place = *(const char *)&(const int16_t){1} ? byte : bytes - 1 - byte;
            x |= (uint64_t)((const uint8_t *)a->data)[(size_t)i * bytes + place] << 8 * byte;
            y |= (uint64_t)((const uint8_t *)b->data)[(size_t)k * bytes + place] << 8 * byte;
        }
        set_bits(c->data, c->type, at, x + y);
    }
}

/* The axis of the output at which the axes of B begin. */
static int32_t first_axis(const opmill_operator *operator, const void *attributes,
                          const opmill_tensor *b, int32_t rank) {
    const int64_t *const broadcast = attribute_of(operator, attributes, "broadcast");
    const bool says = broadcast != NULL && *broadcast == 1 && count_of(b->dims, b->rank) != 1;
    const int32_t last = rank - b->rank;
    return says ? (int32_t)axis_of(operator, attributes, rank, last) : last;
}

void reference_elementwise_binary(const opmill_operator *operator,
                                  const opmill_tensor *const *inputs, int32_t input_count,
                                  const void *attributes, const opmill_tensor *const *outputs,
                                  int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[1], *const output = outputs[0];
    const int32_t rank = output->rank, begin = first_axis(operator, attributes, b, rank);
    int64_t index[OPMILL_MAX_RANK] = {0}, from_a[OPMILL_MAX_RANK], from_b[OPMILL_MAX_RANK];
    int64_t at = 0;
    (void)input_count;
    (void)output_count;
    if (strcmp(family_parameter(operator, "function"), "add") != 0) {
        fputs("reference_elementwise_binary has no such function\n", stderr);
        abort();
    }
    if (count_of(output->dims, rank) == 0) {
        return;
    }
    do {
        for (int32_t i = 0; i < a->rank; i++) {
            from_a[i] = a->dims[i] == 1 ? 0 : index[rank - a->rank + i];
        }
        for (int32_t i = 0; i < b->rank; i++) {
            from_b[i] = b->dims[i] == 1 ? 0 : index[begin + i];
        }
        add(a, position_of(from_a, a->dims, a->rank), b, position_of(from_b, b->dims, b->rank),
            output, at++);
    } while (next_index(index, output->dims, rank));
}
