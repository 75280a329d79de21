/* Quantization, one element after the other, in double. */
#include <math.h>
#include <string.h>

#include "formats.h"
#include "reference.h"
#include "values.h"

/* The position of the scale of an element. */
static int64_t scale_of(const opmill_operator *operator, const void *attributes,
                        const opmill_tensor *x, const opmill_tensor *scale, int64_t element) {
    const int64_t *const given = attribute_of(operator, attributes, "block_size");
    const int64_t block = given != NULL ? *given : 0;
    const int64_t axis = axis_of(operator, attributes, x->rank, 1);
    int64_t index[64];
    if (scale->rank == 0 || (scale->rank == 1 && scale->dims[0] == 1)) {
        return 0;
    }
    for (int32_t i = x->rank - 1; i >= 0; i--) {
        index[i] = element % x->dims[i];
        element /= x->dims[i];
    }
    if (block == 0) {
        return index[axis];
    }
    index[axis] /= block;
    return position_of(index, scale->dims, scale->rank);
}

/* A number as an element of a floating type, as a double. */
static double rounded(double number, int32_t type) {
    switch (type) {
    case OPMILL_FLOAT16:
        return value_of_float16(nearest_float16(number));
    case OPMILL_BFLOAT16:
        return value_of_bfloat16(nearest_bfloat16(number));
    case OPMILL_DOUBLE:
        return number;
    default: {
        volatile float single = (float)number;
        return (double)single;
    }
    }
}

/* To the nearest integer, ties to even; the number is small. */
static double whole(double number) {
    const double below = floor(number), rest = number - below;
    return rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0) ? below + 1 : below;
}

static double limited(double quotient, double zero, int bits, bool has_sign) {
    const double size = ldexp(1, bits), low = has_sign ? -size / 2 : 0;
    const double high = low + size - 1;
    if (isnan(quotient) || quotient < -1e6) {
        return low;
    }
    const double sum = quotient > 1e6 ? high : whole(quotient) + zero;
    return sum < low ? low : sum > high ? high : sum;
}

void reference_quantize(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes,
                        const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const scale = inputs[1], *const y = outputs[0];
    const opmill_tensor *const zero = input_count > 2 ? inputs[2] : NULL;
    const int64_t *const precision = attribute_of(operator, attributes, "precision");
    const int64_t *const saturate = attribute_of(operator, attributes, "saturate");
    const char *const floats = family_parameter(operator, "float_quotients");
    const bool is_float = floats != NULL && strcmp(floats, "true") == 0;
    const int32_t own = is_float                           ? OPMILL_FLOAT
                        : scale->type == OPMILL_INT32      ? OPMILL_DOUBLE
                        : scale->type == OPMILL_FLOAT8E8M0 ? OPMILL_FLOAT
                                                           : scale->type;
    const int32_t type = precision != NULL && *precision != 0 ? (int32_t)*precision : own;
    const int64_t count = count_of(y->dims, y->rank);
    (void)output_count;
    clear_last_byte(y);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = scale_of(operator, attributes, x, scale, i);
        const double by = rounded(number_at(scale, at), type);
        const double offset = zero != NULL ? number_at(zero, at) : 0;
        double quotient = rounded(rounded(number_at(x, i), type) / by, type);
        int bits = 0;
        bool has_sign = true;
        switch (y->type) {
        case OPMILL_UINT2:
        case OPMILL_UINT4:
        case OPMILL_UINT8:
        case OPMILL_UINT16:
            has_sign = false;
            bits = y->type == OPMILL_UINT2   ? 2
                   : y->type == OPMILL_UINT4 ? 4
                   : y->type == OPMILL_UINT8 ? 8
                                             : 16;
            break;
        case OPMILL_INT2:
        case OPMILL_INT4:
        case OPMILL_INT8:
        case OPMILL_INT16:
            bits = y->type == OPMILL_INT2   ? 2
                   : y->type == OPMILL_INT4 ? 4
                   : y->type == OPMILL_INT8 ? 8
                                            : 16;
            break;
        default:
            break;
        }
        if (bits == 0 && offset != 0) {
            quotient = rounded(quotient + offset, type);
        }
        const element value =
            element_of(bits > 0 ? limited(quotient, offset, bits, has_sign) : quotient);
        set_bits(y->data, y->type, i,
                 bits_of_element(&value, y->type, saturate == NULL || *saturate != 0, "up", false));
    }
}
