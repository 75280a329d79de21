/* One element after the other: it is copied, or a bound is. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static bool is_floating(int32_t type) {
    return type == OPMILL_FLOAT || type == OPMILL_DOUBLE || type == OPMILL_FLOAT16 ||
           type == OPMILL_BFLOAT16;
}

static bool is_unsigned(int32_t type) {
    return type == OPMILL_UINT8 || type == OPMILL_UINT16 || type == OPMILL_UINT32 ||
           type == OPMILL_UINT64;
}

/* The bits of an integer in an order that is that of the integers. */
static uint64_t order_of(const opmill_tensor *tensor, int64_t i) {
    const size_t bytes = type_bytes(tensor->type, 1);
    uint64_t bits = 0;
    for (size_t byte = 0; byte < bytes; byte++) { /* little-endian or big, as the machine */
        const size_t position = *(const char *)&(const int16_t){1} ? byte : bytes - 1 - byte;
        bits |= (uint64_t)((const uint8_t *)tensor->data)[(size_t)i * bytes + position] << 8 * byte;
    }
    return is_unsigned(tensor->type) ? bits : bits ^ (uint64_t)1 << (8 * bytes - 1);
}

/* Whether the first is below the second; a NaN is below nothing. */
static bool is_below(const opmill_tensor *a, int64_t i, const opmill_tensor *b, int64_t k) {
    return is_floating(a->type) ? get_real(a->data, a->type, i) < get_real(b->data, b->type, k)
                                : order_of(a, i) < order_of(b, k);
}

static bool is_nan(const opmill_tensor *tensor) {
    return is_floating(tensor->type) && isnan(get_real(tensor->data, tensor->type, 0));
}

/* The lowest or the largest finite value of the element's type. */
static void set_limit(const opmill_tensor *element, bool largest) {
    const int32_t type = element->type;
    const uint64_t sign = (uint64_t)1 << (8 * type_bytes(type, 1) - 1);
    if (is_floating(type)) {
        const double limit = type == OPMILL_DOUBLE    ? DBL_MAX
                             : type == OPMILL_FLOAT   ? (double)FLT_MAX
                             : type == OPMILL_FLOAT16 ? 65504
                                                      : 0x1.fep127;
        set_real(element->data, type, 0, largest ? limit : -limit);
    } else if (is_unsigned(type)) {
        set_bits(element->data, type, 0, largest ? UINT64_MAX : 0);
    } else {
        set_bits(element->data, type, 0, largest ? sign - 1 : sign);
    }
}

/* An input, an attribute or the limit of the type. */
static void set_bound(const opmill_tensor *element, const opmill_operator *operator,
                      const void *attributes, const char *name, const opmill_tensor *input,
                      bool largest) {
    const float *const number = attribute_of(operator, attributes, name);
    if (input != NULL) {
        copy_element(element, 0, input, 0);
    } else if (number != NULL) {
        set_real(element->data, element->type, 0, (double)*number);
    } else {
        set_limit(element, largest);
    }
}

void reference_clip(const opmill_operator *operator, const opmill_tensor *const *inputs,
                    int32_t input_count, const void *attributes,
                    const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    uint64_t low_data, high_data;
    opmill_tensor low = *x, high = *x;
    low.data = &low_data;
    high.data = &high_data;
    (void)output_count;
    set_bound(&low, operator, attributes, "min", input_count > 1 ? inputs[1] : NULL, false);
    set_bound(&high, operator, attributes, "max", input_count > 2 ? inputs[2] : NULL, true);
    for (int64_t i = 0; i < count_of(y->dims, y->rank); i++) {
        copy_element(y, i, x, i);
        if (is_nan(&low) || is_below(y, i, &low, 0)) {
            copy_element(y, i, &low, 0);
        }
        if (is_nan(&high) || is_below(&high, 0, y, i)) {
            copy_element(y, i, &high, 0);
        }
    }
}
