/* One element after the other: integers by repeated products, floats by powl. */
#include <math.h>
#include <stdbool.h>

#include "reference.h"
#include "values.h"

static bool is_floating(int32_t type) {
    return type == OPMILL_FLOAT || type == OPMILL_DOUBLE || type == OPMILL_FLOAT16 ||
           type == OPMILL_BFLOAT16;
}

/* An integer, with copies of its sign above it; *negative tells whether it is below 0. */
static uint64_t whole_at(const opmill_tensor *tensor, int64_t i, bool *negative) {
    const void *const data = tensor->data;
    int64_t value;
    *negative = false;
    switch (tensor->type) {
    case OPMILL_UINT8:
        return ((const uint8_t *)data)[i];
    case OPMILL_UINT16:
        return ((const uint16_t *)data)[i];
    case OPMILL_UINT32:
        return ((const uint32_t *)data)[i];
    case OPMILL_UINT64:
        return ((const uint64_t *)data)[i];
    case OPMILL_INT8:
        value = ((const int8_t *)data)[i];
        break;
    case OPMILL_INT16:
        value = ((const int16_t *)data)[i];
        break;
    case OPMILL_INT32:
        value = ((const int32_t *)data)[i];
        break;
    default:
        value = ((const int64_t *)data)[i];
        break;
    }
    *negative = value < 0;
    return (uint64_t)value;
}

static double number_at(const opmill_tensor *tensor, int64_t i) {
    bool negative;
    if (is_floating(tensor->type)) {
        return get_real(tensor->data, tensor->type, i);
    }
    const uint64_t whole = whole_at(tensor, i, &negative);
    return negative ? -(double)(0 - whole) : (double)whole;
}

/* The bits of x to an integer power, from the highest bit of the exponent down. */
static uint64_t whole_power(uint64_t x, uint64_t y, bool negative, uint64_t min) {
    uint64_t result = 1;
    if (negative) {
        const bool odd = y % 2 == 1;
        return x == 0 ? min : x == 1 ? 1 : x + 1 == 0 ? (odd ? x : 1) : 0;
    }
    for (int bit = 63; bit >= 0; bit--) {
        result = result * result * (y >> bit & 1 ? x : 1);
    }
    return result;
}

void reference_pow(const opmill_operator *operator, const opmill_tensor *const *inputs,
                   int32_t input_count, const void *attributes, const opmill_tensor *const *outputs,
                   int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = inputs[1], *const z = outputs[0];
    const int32_t rank = z->rank, last = rank - y->rank;
    const int64_t *const broadcast = attribute_of(operator, attributes, "broadcast");
    const bool moved = broadcast != NULL && *broadcast == 1 && count_of(y->dims, y->rank) != 1;
    const int32_t begin = moved ? (int32_t)axis_of(operator, attributes, rank, last) : last;
    int64_t index[OPMILL_MAX_RANK] = {0}, from_x[OPMILL_MAX_RANK], from_y[OPMILL_MAX_RANK], at = 0;
    (void)input_count;
    (void)output_count;
    if (count_of(z->dims, rank) == 0) {
        return;
    }
    do {
        for (int32_t i = 0; i < x->rank; i++) {
            from_x[i] = x->dims[i] == 1 ? 0 : index[rank - x->rank + i];
        }
        for (int32_t i = 0; i < y->rank; i++) {
            from_y[i] = y->dims[i] == 1 ? 0 : index[begin + i];
        }
        const int64_t i = position_of(from_x, x->dims, x->rank);
        const int64_t k = position_of(from_y, y->dims, y->rank);
        const uint64_t min = (uint64_t)1 << (8 * type_bytes(z->type, 1) - 1);
        bool below, negative;
        if (!is_floating(x->type) && !is_floating(y->type)) {
            const uint64_t base = whole_at(x, i, &below), exponent = whole_at(y, k, &negative);
            set_bits(z->data, z->type, at, whole_power(base, exponent, negative, min));
        } else {
            const double power = (double)powl(number_at(x, i), number_at(y, k));
            if (is_floating(z->type)) {
                set_real(z->data, z->type, at, power);
            } else if (fabs(power) < (z->type == OPMILL_INT32 ? 0x1p31 : 0x1p63)) {
                set_whole(z->data, z->type, at, (int64_t)power);
            } else {
                set_bits(z->data, z->type, at, min);
            }
        }
        at++;
    } while (next_index(index, z->dims, rank));
}
