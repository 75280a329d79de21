/* Recurrent layers: the lengths are checked here, the steps are in layer.c. Integer weights can be
 * packed before the call. */
#include "families/recurrent/kernel.h"

#include "families/recurrent/layer.h"
#include "runtime/call/bounds.h"

int opmill_recurrent_compute(const opmill_tensor *X, const opmill_tensor *W, const opmill_tensor *R,
                             const opmill_tensor *B, const opmill_tensor *sequence_lens,
                             const opmill_tensor *initial_h, const opmill_tensor *initial_c,
                             const opmill_tensor *P, const opmill_tensor *W_scale,
                             const opmill_tensor *W_zero_point, const opmill_tensor *R_scale,
                             const opmill_tensor *R_zero_point, opmill_tensor *Y,
                             opmill_tensor *Y_h, opmill_tensor *Y_c,
                             const opmill_recurrent_plan *plan, opmill_context *context) {
    const opmill_recurrent_tensors tensors = {X,
                                              W,
                                              R,
                                              B,
                                              sequence_lens,
                                              initial_h,
                                              initial_c,
                                              P,
                                              W_scale,
                                              W_zero_point,
                                              R_scale,
                                              R_zero_point,
                                              Y,
                                              Y_h,
                                              Y_c};
    if (sequence_lens != NULL &&
        !opmill_bounds_check(sequence_lens, "sequence_lens", 0, X->dims[plan->batch_first ? 1 : 0],
                             context)) {
        return OPMILL_ERROR_CALL;
    }
    opmill_recurrent_run(&tensors, plan, context);
    return OPMILL_OK;
}

size_t opmill_recurrent_workspace_bytes(
    const opmill_tensor *X, const opmill_tensor *W, const opmill_tensor *R, const opmill_tensor *B,
    const opmill_tensor *sequence_lens, const opmill_tensor *initial_h,
    const opmill_tensor *initial_c, const opmill_tensor *P, const opmill_tensor *W_scale,
    const opmill_tensor *W_zero_point, const opmill_tensor *R_scale,
    const opmill_tensor *R_zero_point, const opmill_shape *Y, const opmill_shape *Y_h,
    const opmill_shape *Y_c, const opmill_recurrent_plan *plan, const opmill_context *context) {
    const opmill_recurrent_tensors tensors = {.X = X,
                                              .W = W,
                                              .R = R,
                                              .sequence_lens = sequence_lens,
                                              .W_scale = W_scale,
                                              .W_zero_point = W_zero_point,
                                              .R_scale = R_scale,
                                              .R_zero_point = R_zero_point};
    (void)B;
    (void)initial_h;
    (void)initial_c;
    (void)P;
    (void)Y;
    (void)Y_h;
    (void)Y_c;
    return opmill_recurrent_workspace(&tensors, plan, context);
}

void opmill_recurrent_prepare(opmill_packing *packing, void *to, const opmill_context *context) {
    opmill_recurrent_pack_integers(packing, to, context);
}
