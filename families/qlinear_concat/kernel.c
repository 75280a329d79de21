/* QLinearConcat: the elements of each part by a table of what all 256 become. */
#include "families/qlinear_concat/kernel.h"

#include <string.h>

#include "runtime/platform/isa.h"
#include "runtime/quantized/byte_map.h"
#include "runtime/quantized/rescale.h"

int opmill_qlinear_concat_compute(const opmill_tensor *y_scale, const opmill_tensor *y_zero_point,
                                  const opmill_tensor *const *inputs, int32_t inputs_count,
                                  opmill_tensor *y, const opmill_qlinear_concat_plan *plan,
                                  opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
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
        uint8_t table[OPMILL_BYTES];
        const bool changes =
            opmill_rescale_table(table, inputs[k + 1], inputs[k + 2], y_scale, y_zero_point, isa);
        for (int64_t row = 0; row < outer && block > 0; row++, from += block) {
            uint8_t *const to = (uint8_t *)y->data + row * whole + offset;
            if (changes) {
                opmill_map_bytes(to, from, table, block, isa);
            } else {
                memcpy(to, from, (size_t)block);
            }
        }
        offset += block;
    }
    return OPMILL_OK;
}
