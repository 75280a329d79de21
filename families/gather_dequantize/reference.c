/* GatherBlockQuantized, one element of the output after the other, in double. */
#include "formats.h"
#include "reference.h"
#include "values.h"

/* The number that the bits of a code are, in a row of bytes. */
static int64_t stored(const uint8_t *row, int64_t element, int64_t bits) {
    int64_t code = 0;
    for (int64_t bit = 0; bit < bits; bit++) {
        const int64_t at = element * bits + bit;
        code |= (int64_t)(row[at / 8] >> (at % 8) & 1) << bit;
    }
    return code;
}

static int64_t named(const opmill_operator *operator, const void *attributes, const char *name) {
    return *(const int64_t *)attribute_of(operator, attributes, name);
}

void reference_gather_dequantize(const opmill_operator *operator,
                                 const opmill_tensor *const *inputs, int32_t input_count,
                                 const void *attributes, const opmill_tensor *const *outputs,
                                 int32_t output_count) {
    const opmill_tensor *const data = inputs[0], *const chosen = inputs[1];
    const opmill_tensor *const scales = inputs[2], *const out = outputs[0];
    const opmill_tensor *const zeros = input_count > 3 ? inputs[3] : NULL;
    const int32_t rank = data->rank, last = rank - 1;
    const bool packs = data->type == OPMILL_UINT8;
    const int64_t bits = named(operator, attributes, "bits");
    const int64_t size = named(operator, attributes, "block_size");
    const int64_t gathered = named(operator, attributes, "gather_axis");
    const int64_t quantized = named(operator, attributes, "quantize_axis");
    const int32_t first = (int32_t)(gathered < 0 ? gathered + rank : gathered);
    const int32_t along = (int32_t)(quantized < 0 ? quantized + rank : quantized);
    int64_t index[OPMILL_MAX_RANK] = {0}, element[OPMILL_MAX_RANK], own[OPMILL_MAX_RANK];
    int64_t position = 0;
    bool more = count_of(out->dims, out->rank) > 0;
    (void)output_count;
    for (; more; position++, more = next_index(index, out->dims, out->rank) != 0) {
        const int64_t at = position_of(index + first, chosen->dims, chosen->rank);
        int64_t value = chosen->type == OPMILL_INT32 ? ((const int32_t *)chosen->data)[at]
                                                     : ((const int64_t *)chosen->data)[at];
        value += value < 0 ? data->dims[first] : 0;
        if (value < 0 || value >= data->dims[first]) {
            set_real(out->data, out->type, position, 0);
            continue;
        }
        for (int32_t axis = 0; axis < rank; axis++) {
            element[axis] = axis < first    ? index[axis]
                            : axis == first ? value
                                            : index[axis - 1 + chosen->rank];
            own[axis] = axis == along && size != 0                 ? element[axis] / size
                        : axis == along || scales->dims[axis] == 1 ? 0
                                                                   : element[axis];
        }
        const int64_t scale = position_of(own, scales->dims, rank);
        double code, zero = 0;
        if (packs) {
            const int64_t row = position_of(element, data->dims, last);
            code = (double)stored((const uint8_t *)data->data + row * data->dims[last],
                                  element[last], bits);
            zero = (double)((int64_t)1 << (bits - 1));
            if (zeros != NULL) {
                zero = (double)stored((const uint8_t *)zeros->data + row * zeros->dims[last],
                                      own[last], bits);
            }
        } else {
            code = number_at(data, position_of(element, data->dims, rank));
            zero = zeros != NULL ? number_at(zeros, scale) : 0;
        }
        volatile double result = (code - zero) * number_at(scales, scale);
        set_real(out->data, out->type, position, result);
    }
}
