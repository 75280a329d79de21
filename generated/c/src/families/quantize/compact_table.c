/* A function of one quantized tensor, as a table. */
#include "families/quantize/compact_table.h"

#include "runtime/quantized/compact.h"

int opmill_quantize_compact_table(const opmill_tensor *x, const opmill_tensor *table,
                                  opmill_tensor *y, const opmill_quantize_plan *plan,
                                  opmill_context *context) {
    const int32_t count = opmill_compact_count(x);
    const uint8_t *const from = x->data, *const values = table->data;
    uint8_t *const to = y->data;
    (void)plan;
    (void)context;
    for (int32_t i = 0; i < count; i++) {
        to[i] = values[from[i]];
    }
    return OPMILL_OK;
}
