/* QLinearConcat: the elements of each part by a table of what all 256 become. */
#include "families/qlinear_concat/kernel.h"

#include <string.h>

#include "runtime/isa.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"

enum { ELEMENTS = 256 };

/* Fills the table; false where every element stays as it is. */
static bool find_table(uint8_t *table, const opmill_tensor *scale, const opmill_tensor *zero,
                       const opmill_tensor *to_scale, const opmill_tensor *to_zero,
                       const quantize_loops *loops) {
    const uint8_t zero_bits = *(const uint8_t *)zero->data;
    const uint8_t to_bits = *(const uint8_t *)to_zero->data;
    const float factor = *(const float *)scale->data, divisor = *(const float *)to_scale->data;
    const float point = opmill_small_number(zero_bits, zero->type);
    const bool is_signed = zero->type == OPMILL_INT8;
    float numbers[ELEMENTS], quotients[ELEMENTS];
    if (zero_bits == to_bits && factor == divisor) {
        return false;
    }
    for (int bits = 0; bits < ELEMENTS; bits++) {
        numbers[bits] = (opmill_small_number((uint8_t)bits, zero->type) - point) * factor;
    }
    loops->divide(quotients, numbers, divisor, ELEMENTS);
    loops->round_8(table, quotients, opmill_small_number(to_bits, to_zero->type),
                   is_signed ? -128 : 0, is_signed ? 127 : 255, ELEMENTS);
    return true;
}

int opmill_qlinear_concat_compute(const opmill_tensor *y_scale, const opmill_tensor *y_zero_point,
                                  const opmill_tensor *const *inputs, int32_t inputs_count,
                                  opmill_tensor *y, const opmill_qlinear_concat_plan *plan,
                                  opmill_context *context) {
    const quantize_loops *const loops = opmill_quantize_loops_for(opmill_isa_select(context->isa));
    int64_t outer = 1, inner = 1, offset = 0;
    for (int32_t i = 0; i < y->rank; i++) {
        if (i != plan->axis) {
            *(i < plan->axis ? &outer : &inner) *= y->dims[i];
        }
    }
    const int64_t whole = y->dims[plan->axis] * inner;
    for (int32_t k = 0; k + 2 < inputs_count; k += 3) {
        const int64_t block = inputs[k]->dims[plan->axis] * inner;
        const uint8_t *from = inputs[k]->data;
        uint8_t table[ELEMENTS];
        const bool changes =
            find_table(table, inputs[k + 1], inputs[k + 2], y_scale, y_zero_point, loops);
        for (int64_t row = 0; row < outer && block > 0; row++, from += block) {
            uint8_t *const to = (uint8_t *)y->data + row * whole + offset;
            if (!changes) {
                memcpy(to, from, (size_t)block);
                continue;
            }
            for (int64_t i = 0; i < block; i++) {
                to[i] = table[from[i]];
            }
        }
        offset += block;
    }
    return OPMILL_OK;
}
