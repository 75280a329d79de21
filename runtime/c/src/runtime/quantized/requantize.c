/* Scales sums of products by a factor, one for all or one for each element, rounds them and adds
 * the zero point, in chunks on the stack. */
#include "runtime/quantized/requantize.h"

#include <string.h>

#include "runtime/numbers/half.h"
#include "runtime/platform/isa.h"

enum { CHUNK = 256 };

float opmill_small_number(uint8_t bits, int32_t type) {
    const cast_options options = {true, false, CAST_UP};
    const uint32_t wide = (uint32_t)opmill_cast_bits(bits, type, OPMILL_FLOAT, &options);
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

void opmill_requantizer_begin(opmill_requantizer *requantizer, int32_t type, const void *zero_point,
                              int32_t isa) {
    const cast_options options = {true, false, CAST_UP};
    const uint8_t bits = *(const uint8_t *)zero_point;
    requantizer->loops = opmill_quantize_loops_for(opmill_isa_select(isa));
    requantizer->casts = opmill_cast_loops_for(isa);
    requantizer->is_whole = type == OPMILL_INT8 || type == OPMILL_UINT8;
    requantizer->low = type == OPMILL_INT8 ? -128.0f : 0.0f;
    requantizer->high = requantizer->low + 255.0f;
    requantizer->zero = opmill_small_number(bits, type);
    if (!requantizer->is_whole) {
        opmill_cast_small_of(type, &options, &requantizer->small);
    }
}

static void finish(const opmill_requantizer *requantizer, float *scaled, int64_t count,
                   uint8_t *out) {
    if (requantizer->is_whole) {
        requantizer->loops->round_8(out, scaled, requantizer->zero, requantizer->low,
                                    requantizer->high, count);
        return;
    }
    if (requantizer->zero != 0) {
        for (int64_t i = 0; i < count; i++) {
            scaled[i] += requantizer->zero;
        }
    }
    requantizer->casts->to_small(out, scaled, count, &requantizer->small);
}

void opmill_requantize(const opmill_requantizer *requantizer, const uint32_t *sums, uint32_t added,
                       float factor, const float *factors, int64_t count, uint8_t *out) {
    float scaled[CHUNK];
    for (int64_t i = 0; i < count; i += CHUNK) {
        const int64_t length = count - i < CHUNK ? count - i : CHUNK;
        if (factors != NULL) {
            requantizer->loops->scale_sums_each(scaled, sums + i, factors + i, NULL, length);
        } else {
            requantizer->loops->scale_sums(scaled, sums + i, added, factor, NULL, length);
        }
        finish(requantizer, scaled, length, out + i);
    }
}

void opmill_requantize_doubles(const opmill_requantizer *requantizer, const double *sums,
                               float factor, const float *factors, int64_t count, uint8_t *out) {
    float scaled[CHUNK];
    for (int64_t i = 0; i < count; i += CHUNK) {
        const int64_t length = count - i < CHUNK ? count - i : CHUNK;
        for (int64_t k = 0; k < length; k++) {
            scaled[k] = (float)sums[i + k] * (factors != NULL ? factors[i + k] : factor);
        }
        finish(requantizer, scaled, length, out + i);
    }
}

float opmill_scale_at(const opmill_tensor *scales, int64_t index) {
    switch (scales->type) {
    case OPMILL_FLOAT16:
        return opmill_float16_to_float(((const uint16_t *)scales->data)[index]);
    case OPMILL_BFLOAT16:
        return opmill_bfloat16_to_float(((const uint16_t *)scales->data)[index]);
    default:
        return ((const float *)scales->data)[index];
    }
}
