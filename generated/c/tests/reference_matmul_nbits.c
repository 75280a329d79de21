/* MatMulNBits, one element of the product after the other, summed in double. */
#include "reference.h"
#include "values.h"

static int64_t attribute(const opmill_operator *operator, const void *attributes,
                         const char *name) {
    return *(const int64_t *)attribute_of(operator, attributes, name);
}

/* The code of `bits` bits at a place in a row of bytes, its bits one by one. */
static int code_of(const uint8_t *bytes, int64_t position, int64_t bits) {
    int code = 0;
    for (int64_t bit = 0; bit < bits; bit++) {
        const int64_t at = position * bits + bit;
        code |= (bytes[at / 8] >> (at % 8) & 1) << bit;
    }
    return code;
}

void reference_matmul_nbits(const opmill_operator *operator, const opmill_tensor *const *inputs,
                            int32_t input_count, const void *attributes,
                            const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const y = outputs[0], *const scales = inputs[2];
    const opmill_tensor *const zeros = input_count > 3 ? inputs[3] : NULL;
    const opmill_tensor *const g_idx = input_count > 4 ? inputs[4] : NULL;
    const opmill_tensor *const bias = input_count > 5 ? inputs[5] : NULL;
    const int64_t depth = attribute(operator, attributes, "K");
    const int64_t columns = attribute(operator, attributes, "N");
    const int64_t bits = attribute(operator, attributes, "bits");
    const int64_t size = attribute(operator, attributes, "block_size");
    const int64_t blocks = (depth + size - 1) / size;
    (void)output_count;
    for (int64_t i = 0; i < count_of(y->dims, y->rank); i++) {
        const int64_t row = i / columns, n = i % columns;
        double sum = bias == NULL ? 0 : get_real(bias->data, bias->type, n);
        for (int64_t k = 0; k < depth; k++) {
            const int64_t group = g_idx == NULL ? k / size : ((const int32_t *)g_idx->data)[k];
            const uint8_t *const codes = inputs[1]->data;
            double zero = (double)(1 << (bits - 1)), weight;
            if (zeros != NULL && zeros->type == OPMILL_UINT8) {
                const int64_t bytes = (blocks * bits + 7) / 8;
                zero = code_of((const uint8_t *)zeros->data + n * bytes, group, bits);
            } else if (zeros != NULL) {
                zero = get_real(zeros->data, zeros->type, n * blocks + group);
            }
            weight = code_of(codes + n * blocks * size * bits / 8, k, bits) - zero;
            weight *= get_real(scales->data, scales->type, n * blocks + group);
            sum += get_real(a->data, a->type, row * depth + k) * weight;
        }
        set_real(y->data, y->type, i, sum);
    }
}
