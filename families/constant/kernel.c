/* Constant: a copy of the attribute that is present; of a sparse one, the values over zeros. */
#include "families/constant/kernel.h"

#include <string.h>

#include "runtime/numbers/elements.h"

/* The position of value `i` in row-major order. */
static int64_t position_of(const opmill_sparse_tensor *given, int64_t i) {
    const int64_t *const indices = given->indices->data;
    if (given->indices->rank == 1) {
        return indices[i];
    }
    int64_t position = 0;
    for (int32_t axis = 0; axis < given->rank; axis++) {
        position = position * given->dims[axis] + indices[i * given->rank + axis];
    }
    return position;
}

/* Copies element `from` to element `to`, of less than a byte each, over zeros. */
static void put_bits(unsigned char *output, int64_t to, const unsigned char *values, int64_t from,
                     int32_t bits) {
    const int64_t each = 8 / bits;
    const unsigned mask = (1u << bits) - 1;
    const unsigned element = (unsigned)values[from / each] >> (int)(from % each * bits) & mask;
    output[to / each] = (unsigned char)(output[to / each] | element << (int)(to % each * bits));
}

static void scatter(const opmill_sparse_tensor *given, opmill_tensor *output, size_t bytes) {
    const int32_t bits = opmill_type_bits(output->type), width = bits / 8;
    const int64_t count = given->values->dims[0];
    const unsigned char *const values = given->values->data;
    unsigned char *const data = output->data;
    if (output->type == OPMILL_STRING) {
        const char **const texts = output->data;
        for (size_t i = 0; i < bytes / sizeof *texts; i++) {
            texts[i] = "";
        }
    } else {
        memset(data, 0, bytes);
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t position = position_of(given, i);
        if (bits < 8) {
            put_bits(data, position, values, i, bits);
        } else {
            memcpy(data + position * width, values + i * width, (size_t)width);
        }
    }
}

/* Zeros what packed elements leave over of the last byte. */
static void clear_rest(opmill_tensor *output, size_t bytes) {
    const int32_t bits = opmill_type_bits(output->type);
    int32_t last = 1; /* the elements, counted modulo 8 */
    for (int32_t i = 0; i < output->rank; i++) {
        last = (int32_t)(last * (output->dims[i] % 8) % 8);
    }
    if (last * bits % 8 > 0) {
        ((unsigned char *)output->data)[bytes - 1] &= (unsigned char)((1u << last * bits % 8) - 1);
    }
}

int opmill_constant_compute(opmill_tensor *output, const opmill_constant_plan *plan,
                            opmill_context *context) {
    const opmill_tensor *const dense[] = {
        &plan->value,      &plan->value_float,  &plan->value_floats, &plan->value_int,
        &plan->value_ints, &plan->value_string, &plan->value_strings};
    size_t bytes = 0;
    (void)context;
    opmill_tensor_bytes(output->dims, output->rank, output->type, &bytes);
    if (bytes == 0) {
        return OPMILL_OK;
    }
    if (plan->sparse_value != NULL) {
        scatter(plan->sparse_value, output, bytes);
        return OPMILL_OK;
    }
    for (size_t i = 0; i < sizeof dense / sizeof dense[0]; i++) {
        if (dense[i]->type != OPMILL_UNDEFINED) {
            memcpy(output->data, dense[i]->data, bytes);
        }
    }
    clear_rest(output, bytes);
    return OPMILL_OK;
}
