/* Attention: the lengths are checked here, the rest is in blocks.c. */
#include "families/attention/kernel.h"

#include "families/attention/blocks.h"
#include "runtime/call/bounds.h"

int opmill_attention_compute(const opmill_tensor *Q, const opmill_tensor *K, const opmill_tensor *V,
                             const opmill_tensor *attn_mask, const opmill_tensor *past_key,
                             const opmill_tensor *past_value, const opmill_tensor *nonpad_kv_seqlen,
                             opmill_tensor *Y, opmill_tensor *present_key,
                             opmill_tensor *present_value, opmill_tensor *qk_matmul_output,
                             const opmill_attention_plan *plan, opmill_context *context) {
    const opmill_attention_tensors tensors = {Q,
                                              K,
                                              V,
                                              attn_mask,
                                              past_key,
                                              past_value,
                                              nonpad_kv_seqlen,
                                              Y,
                                              present_key,
                                              present_value,
                                              qk_matmul_output};
    if (nonpad_kv_seqlen != NULL && !opmill_bounds_check(nonpad_kv_seqlen, "nonpad_kv_seqlen", 0,
                                                         plan->past + plan->fresh, context)) {
        return OPMILL_ERROR_CALL;
    }
    opmill_attention_run(&tensors, plan, context);
    return OPMILL_OK;
}

size_t opmill_attention_workspace_bytes(
    const opmill_tensor *Q, const opmill_tensor *K, const opmill_tensor *V,
    const opmill_tensor *attn_mask, const opmill_tensor *past_key, const opmill_tensor *past_value,
    const opmill_tensor *nonpad_kv_seqlen, const opmill_shape *Y, const opmill_shape *present_key,
    const opmill_shape *present_value, const opmill_shape *qk_matmul_output,
    const opmill_attention_plan *plan, const opmill_context *context) {
    const opmill_attention_tensors tensors = {.Q = Q, .K = K, .V = V};
    (void)attn_mask;
    (void)past_key;
    (void)past_value;
    (void)nonpad_kv_seqlen;
    (void)Y;
    (void)present_key;
    (void)present_value;
    return opmill_attention_workspace(&tensors, qk_matmul_output != NULL, plan, context);
}
