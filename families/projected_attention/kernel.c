/* Attention of com.microsoft: the product of tokens and weights goes into scratch memory, where
 * queries, keys and values lie side by side; the rest is in runtime/attention. */
#include "families/projected_attention/kernel.h"

#include <string.h>

#include "runtime/attention/blocks.h"
#include "runtime/call/workspace.h"
#include "runtime/numbers/elements.h"
#include "runtime/product/product.h"

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* A number of bytes up to the next aligned address; so many that no memory has them where they are
 * too many. */
static uint64_t aligned(uint64_t bytes) {
    if (bytes > UINT64_MAX / 8) {
        return UINT64_MAX / 8;
    }
    return (bytes + OPMILL_WORKSPACE_ALIGNMENT - 1) / OPMILL_WORKSPACE_ALIGNMENT *
           OPMILL_WORKSPACE_ALIGNMENT;
}

static uint64_t product_bytes(const opmill_tensor *input,
                              const opmill_projected_attention_plan *plan) {
    const uint64_t tokens = times((uint64_t)input->dims[0], (uint64_t)input->dims[1]);
    return aligned(
        times(times(tokens, (uint64_t)plan->width), (uint64_t)opmill_type_bytes(input->type)));
}

/* The product of tokens and weights; false where it has no element. */
static bool describe(opmill_matrix_product *product, const opmill_tensor *input,
                     const opmill_tensor *weights, const opmill_tensor *bias, void *to) {
    static const char missing = 0; /* placeholder until data are known */
    memset(product, 0, sizeof *product);
    product->m = input->dims[0] * input->dims[1];
    product->n = weights->dims[1];
    product->k = weights->dims[0];
    if (product->m == 0 || product->n == 0) {
        return false;
    }
    product->type = OPMILL_FLOAT;
    product->a_type = product->b_type = product->c_type = input->type;
    product->a = input->data;
    product->b = weights->data;
    product->c = to;
    product->a_row = product->k;
    product->a_column = 1;
    product->b_row = product->n;
    product->b_column = 1;
    product->c_row = product->n;
    product->batches = 1;
    product->alpha = 1;
    if (bias != NULL) {
        product->beta = 1;
        product->bias = bias->data != NULL ? bias->data : &missing;
        product->bias_column = 1;
    }
    return true;
}

static opmill_attention_problem problem_of(const opmill_projected_attention_plan *plan) {
    const int64_t *const steps = plan->bias_steps.values, *const cells = plan->mask_steps.values;
    return (opmill_attention_problem){
        .kv_heads = plan->heads,
        .group = 1,
        .length = plan->length,
        .fresh = plan->length,
        .past = plan->past_rows,
        .past_rows = plan->past_rows,
        .present_rows = plan->past_rows + plan->length,
        .size = plan->size,
        .value_size = plan->value_size,
        .query_step = plan->width,
        .key_step = plan->width,
        .value_step = plan->width,
        .has_scale = plan->scale != 0,
        .scale = plan->scale,
        .causal = plan->causal,
        .left = -1,
        .right = -1,
        .mask_steps = {steps[0], steps[1], steps[2]},
        .mask_length = plan->past_rows + plan->length,
        .key_mask_form = plan->form == 1   ? OPMILL_ATTENTION_ENDS
                         : plan->form == 2 ? OPMILL_ATTENTION_RANGES
                                           : OPMILL_ATTENTION_CELLS,
        .key_mask_steps = {cells[0], cells[1]},
        .filter = plan->filter,
        .mode = OPMILL_ATTENTION_WEIGHTS,
    };
}

/* The second half of a tensor: the values behind the keys. */
static opmill_tensor second_half(const opmill_tensor *tensor) {
    opmill_tensor half = *tensor;
    int64_t count = 1;
    for (int32_t i = 1; i < tensor->rank; i++) {
        count *= tensor->dims[i];
    }
    if (tensor->data != NULL) {
        half.data = (char *)tensor->data + count * opmill_type_bytes(tensor->type);
    }
    return half;
}

int opmill_projected_attention_compute(const opmill_tensor *input, const opmill_tensor *weights,
                                       const opmill_tensor *bias, const opmill_tensor *mask_index,
                                       const opmill_tensor *past,
                                       const opmill_tensor *attention_bias, opmill_tensor *output,
                                       opmill_tensor *present,
                                       const opmill_projected_attention_plan *plan,
                                       opmill_context *context) {
    const opmill_attention_problem problem = problem_of(plan);
    const int64_t bytes = opmill_type_bytes(input->type), columns = plan->heads * plan->size;
    char *memory = opmill_workspace_begin(context->workspace);
    opmill_matrix_product product;
    opmill_tensor q = *input, past_value, present_value;
    q.data = memory;
    if (memory != NULL && describe(&product, input, weights, bias, memory)) {
        opmill_product_layout layout;
        memory += product_bytes(input, plan);
        opmill_product_lay_out(&layout, &product, context);
        opmill_product_run(&layout, memory);
    }
    opmill_tensor k = q, v = q;
    if (q.data != NULL) {
        k.data = (char *)q.data + columns * bytes;
        v.data = (char *)k.data + columns * bytes;
    }
    opmill_attention_tensors tensors = {
        .Q = &q, .K = &k, .V = &v, .attn_mask = attention_bias, .Y = output};
    tensors.key_mask = mask_index;
    if (past != NULL) {
        past_value = second_half(past);
        tensors.past_key = past;
        tensors.past_value = &past_value;
    }
    if (present != NULL) {
        present_value = second_half(present);
        tensors.present_key = present;
        tensors.present_value = &present_value;
    }
    opmill_attention_run(&tensors, &problem, context, memory);
    return OPMILL_OK;
}

size_t opmill_projected_attention_workspace_bytes(
    const opmill_tensor *input, const opmill_tensor *weights, const opmill_tensor *bias,
    const opmill_tensor *mask_index, const opmill_tensor *past, const opmill_tensor *attention_bias,
    const opmill_shape *output, const opmill_shape *present,
    const opmill_projected_attention_plan *plan, const opmill_context *context) {
    const opmill_attention_problem problem = problem_of(plan);
    const opmill_attention_tensors tensors = {.Q = input, .K = input, .V = input};
    opmill_matrix_product product;
    size_t largest = 0;
    (void)mask_index;
    (void)past;
    (void)attention_bias;
    (void)output;
    (void)present;
    if (describe(&product, input, weights, bias, NULL)) {
        opmill_product_layout layout;
        opmill_product_lay_out(&layout, &product, context);
        largest = opmill_product_workspace(&layout);
    }
    /* The memory of the product is free again when attention begins. */
    const size_t rest = opmill_attention_workspace(&tensors, false, &problem, context);
    largest = rest > largest ? rest : largest;
    return largest == SIZE_MAX ? largest
                               : opmill_workspace_size(product_bytes(input, plan) + largest);
}
