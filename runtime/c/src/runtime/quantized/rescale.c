/* Builds the table of 256 entries that maps each 8-bit element to its value under another scale and
 * zero point. */
#include "runtime/quantized/rescale.h"

#include "runtime/quantized/byte_map.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"

enum { CHUNK = 64 };

bool opmill_rescale_table(uint8_t *table, const opmill_tensor *scale, const opmill_tensor *zero,
                          const opmill_tensor *to_scale, const opmill_tensor *to_zero,
                          int32_t isa) {
    const quantize_loops *const loops = opmill_quantize_loops_for(isa);
    const uint8_t zero_bits = *(const uint8_t *)zero->data;
    const uint8_t to_bits = *(const uint8_t *)to_zero->data;
    const float factor = *(const float *)scale->data, divisor = *(const float *)to_scale->data;
    const float point = opmill_small_number(zero_bits, zero->type);
    const bool is_signed = zero->type == OPMILL_INT8;
    float numbers[CHUNK], quotients[CHUNK];
    if (zero_bits == to_bits && factor == divisor) {
        for (int bits = 0; bits < OPMILL_BYTES; bits++) {
            table[bits] = (uint8_t)bits;
        }
        return false;
    }
    for (int first = 0; first < OPMILL_BYTES; first += CHUNK) {
        for (int i = 0; i < CHUNK; i++) {
            numbers[i] = (opmill_small_number((uint8_t)(first + i), zero->type) - point) * factor;
        }
        loops->divide(quotients, numbers, divisor, CHUNK);
        loops->round_8(table + first, quotients, opmill_small_number(to_bits, to_zero->type),
                       is_signed ? -128 : 0, is_signed ? 127 : 255, CHUNK);
    }
    return true;
}
