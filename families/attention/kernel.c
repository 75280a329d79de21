/* Attention: the lengths are checked here, the rest is in runtime/attention. */
#include "families/attention/kernel.h"

#include "runtime/attention/blocks.h"
#include "runtime/call/bounds.h"

static opmill_attention_problem problem_of(const opmill_attention_plan *plan) {
    const int64_t heads = plan->kv_heads;
    const int64_t *const steps = plan->mask_steps.values;
    return (opmill_attention_problem){
        .kv_heads = heads,
        .group = plan->group,
        .length = plan->length,
        .fresh = plan->fresh,
        .past = plan->past,
        .past_rows = plan->past,
        .present_rows = plan->past + plan->fresh,
        .size = plan->size,
        .value_size = plan->value_size,
        .separate = plan->separate,
        .separate_keys = plan->separate,
        .query_step = plan->group * heads * plan->size,
        .key_step = heads * plan->size,
        .value_step = heads * plan->value_size,
        .has_scale = plan->has_scale,
        .scale = plan->scale,
        .roots = true,
        .caps = plan->caps,
        .cap = plan->cap,
        .causal = plan->causal,
        .left = plan->left,
        .right = plan->right,
        .mask_steps = {steps[0], steps[1], steps[2]},
        .mask_length = plan->mask_length,
        .repeats_mask = plan->repeats_mask,
        .mode = plan->mode,
        .precision = plan->precision,
    };
}

int opmill_attention_compute(const opmill_tensor *Q, const opmill_tensor *K, const opmill_tensor *V,
                             const opmill_tensor *attn_mask, const opmill_tensor *past_key,
                             const opmill_tensor *past_value, const opmill_tensor *nonpad_kv_seqlen,
                             opmill_tensor *Y, opmill_tensor *present_key,
                             opmill_tensor *present_value, opmill_tensor *qk_matmul_output,
                             const opmill_attention_plan *plan, opmill_context *context) {
    const opmill_attention_tensors tensors = {.Q = Q,
                                              .K = K,
                                              .V = V,
                                              .attn_mask = attn_mask,
                                              .past_key = past_key,
                                              .past_value = past_value,
                                              .nonpad_kv_seqlen = nonpad_kv_seqlen,
                                              .Y = Y,
                                              .present_key = present_key,
                                              .present_value = present_value,
                                              .qk_matmul_output = qk_matmul_output};
    const opmill_attention_problem problem = problem_of(plan);
    if (nonpad_kv_seqlen != NULL && !opmill_bounds_check(nonpad_kv_seqlen, "nonpad_kv_seqlen", 0,
                                                         plan->past + plan->fresh, context)) {
        return OPMILL_ERROR_CALL;
    }
    opmill_attention_run(&tensors, &problem, context, context->workspace);
    return OPMILL_OK;
}

size_t opmill_attention_workspace_bytes(
    const opmill_tensor *Q, const opmill_tensor *K, const opmill_tensor *V,
    const opmill_tensor *attn_mask, const opmill_tensor *past_key, const opmill_tensor *past_value,
    const opmill_tensor *nonpad_kv_seqlen, const opmill_shape *Y, const opmill_shape *present_key,
    const opmill_shape *present_value, const opmill_shape *qk_matmul_output,
    const opmill_attention_plan *plan, const opmill_context *context) {
    const opmill_attention_tensors tensors = {.Q = Q, .K = K, .V = V};
    const opmill_attention_problem problem = problem_of(plan);
    (void)attn_mask;
    (void)past_key;
    (void)past_value;
    (void)nonpad_kv_seqlen;
    (void)Y;
    (void)present_key;
    (void)present_value;
    return opmill_attention_workspace(&tensors, qk_matmul_output != NULL, &problem, context);
}
