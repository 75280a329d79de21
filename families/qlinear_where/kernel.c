/* QLinearWhere: each element is what one of X or of Y becomes, by a table for each. */
#include "families/qlinear_where/kernel.h"

#include <string.h>

#include "runtime/elementwise/elementwise_several.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"
#include "runtime/quantized/byte_map.h"
#include "runtime/quantized/rescale.h"
#include "runtime/call/workspace.h"

enum { CHUNK = OPMILL_ON_STACK(512, 64) };

typedef struct tables {
    int32_t isa;
    uint8_t of_x[OPMILL_BYTES], of_y[OPMILL_BYTES];
} tables;

/* What elements from one on become, or one that stands for all. */
static void map(uint8_t *to, const opmill_several_operand *operand, const uint8_t *table,
                int64_t first, int64_t count, int32_t isa) {
    const uint8_t *const from = operand->data;
    if (operand->is_one) {
        memset(to, table[from[0]], (size_t)count);
    } else {
        opmill_map_bytes(to, from + first, table, count, isa);
    }
}

static void run(opmill_several_piece *piece, void *output, int64_t count, const void *plan) {
    const tables *const tables = plan;
    const opmill_several_operand condition = opmill_several_read(piece, 0, 0);
    const opmill_several_operand from_x = opmill_several_read(piece, 1, 1);
    const opmill_several_operand from_y = opmill_several_read(piece, 2, 2);
    const uint8_t *const chosen = condition.data;
    uint8_t of_x[CHUNK], of_y[CHUNK];
    for (int64_t first = 0; first < count; first += CHUNK) {
        const int64_t size = count - first < CHUNK ? count - first : CHUNK;
        uint8_t *const to = (uint8_t *)output + first;
        map(of_x, &from_x, tables->of_x, first, size, tables->isa);
        map(of_y, &from_y, tables->of_y, first, size, tables->isa);
        if (condition.is_one) {
            memcpy(to, chosen[0] != 0 ? of_x : of_y, (size_t)size);
            continue;
        }
        for (int64_t i = 0; i < size; i++) {
            to[i] = chosen[first + i] != 0 ? of_x[i] : of_y[i];
        }
    }
}

size_t opmill_qlinear_where_workspace_bytes(
    const opmill_tensor *condition, const opmill_tensor *X, const opmill_tensor *x_scale,
    const opmill_tensor *x_zero_point, const opmill_tensor *Y, const opmill_tensor *y_scale,
    const opmill_tensor *y_zero_point, const opmill_tensor *z_scale,
    const opmill_tensor *z_zero_point, const opmill_shape *Z, const opmill_qlinear_where_plan *plan,
    const opmill_context *context) {
    (void)condition;
    (void)X;
    (void)x_scale;
    (void)x_zero_point;
    (void)Y;
    (void)y_scale;
    (void)y_zero_point;
    (void)z_scale;
    (void)z_zero_point;
    (void)Z;
    (void)plan;
    (void)context;
    return opmill_workspace_size(sizeof(tables));
}

int opmill_qlinear_where_compute(const opmill_tensor *condition, const opmill_tensor *X,
                                 const opmill_tensor *x_scale, const opmill_tensor *x_zero_point,
                                 const opmill_tensor *Y, const opmill_tensor *y_scale,
                                 const opmill_tensor *y_zero_point, const opmill_tensor *z_scale,
                                 const opmill_tensor *z_zero_point, opmill_tensor *Z,
                                 const opmill_qlinear_where_plan *plan, opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
    const opmill_tensor *const inputs[] = {condition, X, Y};
    tables *const tables = opmill_workspace_begin(context->workspace);
    opmill_several several;
    (void)plan;
    tables->isa = isa;
    opmill_rescale_table(tables->of_x, x_scale, x_zero_point, z_scale, z_zero_point, isa);
    opmill_rescale_table(tables->of_y, y_scale, y_zero_point, z_scale, z_zero_point, isa);
    opmill_several_begin(&several, run, tables, isa, inputs, 3, Z->dims, Z->rank, 1);
    opmill_several_run(&several, Z->data, context);
    return OPMILL_OK;
}

void opmill_qlinear_where_choose(const opmill_tensor *condition, const opmill_tensor *X,
                                 const opmill_tensor *x_scale, const opmill_tensor *x_zero_point,
                                 const opmill_tensor *Y, const opmill_tensor *y_scale,
                                 const opmill_tensor *y_zero_point, const opmill_tensor *z_scale,
                                 const opmill_tensor *z_zero_point, const opmill_shape *Z,
                                 const opmill_qlinear_where_plan *plan,
                                 const opmill_context *context, opmill_choice *choice) {
    const opmill_tensor *const inputs[] = {condition, X, Y};
    opmill_several several;
    (void)x_scale;
    (void)x_zero_point;
    (void)y_scale;
    (void)y_zero_point;
    (void)z_scale;
    (void)z_zero_point;
    (void)plan;
    opmill_several_begin(&several, run, NULL, opmill_isa_select(context->isa), inputs, 3, Z->dims,
                         Z->rank, 1);
    opmill_several_choose(&several, context, choice);
}
