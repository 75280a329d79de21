/* Attention: blocks of queries, their memory and their products. */
#ifndef OPMILL_ATTENTION_BLOCKS_H
#define OPMILL_ATTENTION_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "families/attention/plan.h"
#include "opmill/types.h"

/* Inputs and outputs by the names of ONNX; NULL for absent ones. */
typedef struct opmill_attention_tensors {
    const opmill_tensor *Q, *K, *V, *attn_mask, *past_key, *past_value, *nonpad_kv_seqlen;
    opmill_tensor *Y, *present_key, *present_value, *qk_matmul_output;
} opmill_attention_tensors;

/* The workspace of the call, from Q, K and V, whose data may be missing. */
size_t opmill_attention_workspace(const opmill_attention_tensors *tensors, bool gives_scores,
                                  const opmill_attention_plan *plan, const opmill_context *context);

/* Computes the outputs; the lengths have been checked. */
void opmill_attention_run(const opmill_attention_tensors *tensors,
                          const opmill_attention_plan *plan, const opmill_context *context);

#endif
