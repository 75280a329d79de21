/* QLinearWhere: each element is what one of X or of Y becomes, by a table for each. */
#include "families/qlinear_where/kernel.h"

#include "runtime/elementwise/elementwise_several.h"
#include "runtime/platform/isa.h"
#include "runtime/quantized/rescale.h"
#include "runtime/call/workspace.h"

typedef struct tables {
    uint8_t of_x[OPMILL_RESCALE_ELEMENTS], of_y[OPMILL_RESCALE_ELEMENTS];
} tables;

static void run(opmill_several_piece *piece, void *output, int64_t count, const void *plan) {
    const tables *const tables = plan;
    const opmill_several_operand condition = opmill_several_read(piece, 0, 0);
    const opmill_several_operand from_x = opmill_several_read(piece, 1, 1);
    const opmill_several_operand from_y = opmill_several_read(piece, 2, 2);
    const uint8_t *const c = condition.data, *const x = from_x.data, *const y = from_y.data;
    uint8_t *const to = output;
    for (int64_t i = 0; i < count; i++) {
        const uint8_t of_x = tables->of_x[x[from_x.is_one ? 0 : i]];
        const uint8_t of_y = tables->of_y[y[from_y.is_one ? 0 : i]];
        to[i] = c[condition.is_one ? 0 : i] != 0 ? of_x : of_y;
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
