/* Gemm, one element after the other, summed in double, of integers wrapped around. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static bool is_whole(int32_t type) {
    return type == OPMILL_INT32 || type == OPMILL_UINT32 || type == OPMILL_INT64 ||
           type == OPMILL_UINT64;
}

static uint64_t bits_at(const opmill_tensor *tensor, int64_t position) {
    return tensor->type == OPMILL_INT64 || tensor->type == OPMILL_UINT64
               ? ((const uint64_t *)tensor->data)[position]
               : ((const uint32_t *)tensor->data)[position];
}

static double value_of(uint64_t bits, int32_t type) {
    if (type == OPMILL_INT32 && (bits & 0x80000000u) != 0) {
        return (double)(uint32_t)bits - 0x1p32;
    }
    if (type == OPMILL_INT64 && bits >> 63 != 0) {
        return -(double)(0 - bits);
    }
    return type == OPMILL_INT32 || type == OPMILL_UINT32 ? (double)(uint32_t)bits : (double)bits;
}

static uint64_t packed(double value, int32_t type) {
    const double size = type == OPMILL_INT32 || type == OPMILL_UINT32 ? 0x1p32 : 0x1p64;
    const bool has_sign = type == OPMILL_INT32 || type == OPMILL_INT64;
    const uint64_t highest = size > 0x1p32 ? UINT64_MAX : UINT32_MAX;
    if (isnan(value)) {
        return 0;
    }
    if (value < 0) {
        if (!has_sign) {
            return 0;
        }
        return -value >= size / 2 ? highest / 2 + 1 : 0 - (uint64_t)-value;
    }
    if (value >= (has_sign ? size / 2 : size)) {
        return has_sign ? highest / 2 : highest;
    }
    return (uint64_t)value;
}

void reference_gemm(const opmill_operator *operator, const opmill_tensor *const *inputs,
                    int32_t input_count, const void *attributes,
                    const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[1], *const y = outputs[0];
    const double alpha = *(const float *)attribute_of(operator, attributes, "alpha");
    const double beta = *(const float *)attribute_of(operator, attributes, "beta");
    const bool flip_a = *(const int64_t *)attribute_of(operator, attributes, "transA") != 0;
    const bool flip_b = *(const int64_t *)attribute_of(operator, attributes, "transB") != 0;
    const opmill_tensor *const c = input_count > 2 && beta != 0 ? inputs[2] : NULL;
    const int64_t m = y->dims[0], n = y->dims[1], depth = a->dims[flip_a ? 0 : 1];
    (void)output_count;
    for (int64_t element = 0; element < m * n; element++) {
        const int64_t i = element / n, j = element % n;
        int64_t position = 0;
        double sum = 0;
        uint64_t whole = 0;
        for (int64_t k = 0; k < depth; k++) {
            const int64_t p = flip_a ? k * m + i : i * depth + k;
            const int64_t q = flip_b ? j * depth + k : k * n + j;
            if (is_whole(y->type)) {
                whole += bits_at(a, p) * bits_at(b, q);
            } else {
                sum += get_real(a->data, a->type, p) * get_real(b->data, b->type, q);
            }
        }
        if (c != NULL) {
            const int64_t columns = c->rank > 0 ? c->dims[c->rank - 1] : 1;
            position = (c->rank > 1 && c->dims[0] > 1 ? i * columns : 0) + (columns > 1 ? j : 0);
        }
        if (!is_whole(y->type)) {
            const double term = c != NULL ? beta * get_real(c->data, c->type, position) : 0;
            set_real(y->data, y->type, element, alpha * sum + term);
        } else if (alpha == 1 && (c == NULL || beta == 1)) {
            set_bits(y->data, y->type, element, whole + (c != NULL ? bits_at(c, position) : 0));
        } else {
            double value = value_of(whole, y->type) * alpha;
            if (c != NULL) {
                value += value_of(bits_at(c, position), y->type) * beta;
            }
            set_bits(y->data, y->type, element, packed(value, y->type));
        }
    }
}
