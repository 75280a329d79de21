/* Attention of com.microsoft: the product of tokens and weights, of floats or of 8-bit integers,
 * goes into scratch memory, where queries, keys and values lie side by side; the rest is in
 * runtime/attention. */
#include "families/projected_attention/kernel.h"

#include <string.h>

#include "runtime/attention/blocks.h"
#include "runtime/call/workspace.h"
#include "runtime/call/prepared.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/reals.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"

enum { CHUNK = OPMILL_ON_STACK(256, 64) };

enum { WEIGHTS = 1, WEIGHT_ZERO_POINT = 7, QUANTIZED_INPUTS = 9 }; /* positions */

/* What both products read; without scales, of floats. */
typedef struct factors {
    const opmill_tensor *input, *weights, *bias;
    const opmill_tensor *input_scale, *weight_scale, *input_zero_point, *weight_zero_point;
    const quantize_loops *loops;
    float scale;
} factors;

/* The type of queries, keys and values. */
static int32_t type_of(const factors *of) {
    return of->input_scale != NULL ? of->bias->type : of->input->type;
}

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

static uint64_t product_bytes(const factors *of, const opmill_projected_attention_plan *plan) {
    const int64_t *const dims = of->input->dims;
    const uint64_t tokens = times((uint64_t)dims[0], (uint64_t)dims[1]);
    return aligned(
        times(times(tokens, (uint64_t)plan->width), (uint64_t)opmill_type_bytes(type_of(of))));
}

/* Integer sums times both scales, plus the bias. */
static void finish(const opmill_matrix_product *product, int64_t batch, int64_t row, int64_t column,
                   int64_t rows, int64_t columns, const void *sums, int64_t pitch) {
    const factors *const of = product->state;
    const bool has_one = opmill_product_is_one(of->weight_scale);
    const bool is_float = product->c_type == OPMILL_FLOAT;
    float numbers[CHUNK], scales[CHUNK], biases[CHUNK];
    (void)batch;
    for (int64_t i = 0; i < columns; i += CHUNK) {
        const int64_t count = columns - i < CHUNK ? columns - i : CHUNK;
        for (int64_t k = 0; k < count; k++) {
            const int64_t at = column + i + k;
            scales[k] = of->scale * opmill_scale_at(of->weight_scale, has_one ? 0 : at);
            biases[k] = opmill_scale_at(of->bias, at);
        }
        for (int64_t r = 0; r < rows; r++) {
            const int64_t at = (row + r) * product->c_row + column + i;
            float *const to = is_float ? (float *)product->c + at : numbers;
            of->loops->scale_sums_each(to, (const uint32_t *)sums + r * pitch + i, scales, biases,
                                       count);
            for (int64_t k = 0; k < count && !is_float; k++) {
                opmill_real_put(product->c, product->c_type, at + k, (double)numbers[k]);
            }
        }
    }
}

static void describe_integers(opmill_matrix_product *product, const factors *of) {
    product->type = OPMILL_UINT32;
    product->b_type = of->weights->type;
    product->c_type = of->bias->type;
    product->finish = finish;
    product->state = of;
    if (of->input_zero_point != NULL) {
        product->a_zero = of->input_zero_point->data;
    }
    if (of->weight_zero_point != NULL) {
        product->b_zero = of->weight_zero_point->data;
        product->b_zero_column = !opmill_product_is_one(of->weight_zero_point);
    }
}

/* The product of tokens and weights; false where it has no element. */
static bool describe(opmill_matrix_product *product, const factors *of, void *to,
                     const opmill_context *context) {
    static const char missing = 0; /* placeholder until data are known */
    const opmill_tensor *const input = of->input, *const weights = of->weights;
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
    product->b_packed = opmill_prepared_form(context, WEIGHTS);
    if (of->input_scale != NULL) {
        describe_integers(product, of);
    } else if (of->bias != NULL) {
        product->beta = 1;
        product->bias = of->bias->data != NULL ? of->bias->data : &missing;
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

int opmill_projected_attention_compute(
    const opmill_tensor *input, const opmill_tensor *weights, const opmill_tensor *bias,
    const opmill_tensor *mask_index, const opmill_tensor *past, const opmill_tensor *attention_bias,
    const opmill_tensor *input_scale, const opmill_tensor *weight_scale,
    const opmill_tensor *input_zero_point, const opmill_tensor *weight_zero_point,
    opmill_tensor *output, opmill_tensor *present, const opmill_projected_attention_plan *plan,
    opmill_context *context) {
    const opmill_attention_problem problem = problem_of(plan);
    factors of = {.input = input,
                  .weights = weights,
                  .bias = bias,
                  .input_scale = input_scale,
                  .weight_scale = weight_scale,
                  .input_zero_point = input_zero_point,
                  .weight_zero_point = weight_zero_point};
    const int32_t type = type_of(&of);
    const int64_t bytes = opmill_type_bytes(type), columns = plan->heads * plan->size;
    char *memory = opmill_workspace_begin(context->workspace);
    opmill_matrix_product product;
    opmill_tensor q = *input, past_value, present_value;
    q.data = memory;
    q.type = type;
    if (input_scale != NULL) {
        of.loops = opmill_quantize_loops_for(opmill_isa_select(context->isa));
        of.scale = opmill_scale_at(input_scale, 0);
    }
    if (memory != NULL && describe(&product, &of, memory, context)) {
        opmill_product_layout layout;
        memory += product_bytes(&of, plan);
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
    const opmill_tensor *input_scale, const opmill_tensor *weight_scale,
    const opmill_tensor *input_zero_point, const opmill_tensor *weight_zero_point,
    const opmill_shape *output, const opmill_shape *present,
    const opmill_projected_attention_plan *plan, const opmill_context *context) {
    const opmill_attention_problem problem = problem_of(plan);
    const factors of = {.input = input,
                        .weights = weights,
                        .bias = bias,
                        .input_scale = input_scale,
                        .weight_scale = weight_scale,
                        .input_zero_point = input_zero_point,
                        .weight_zero_point = weight_zero_point};
    opmill_tensor q = *input;
    q.type = type_of(&of);
    const opmill_attention_tensors tensors = {.Q = &q, .K = &q, .V = &q};
    opmill_matrix_product product;
    size_t largest = 0;
    (void)mask_index;
    (void)past;
    (void)attention_bias;
    (void)output;
    (void)present;
    if (describe(&product, &of, NULL, context)) {
        opmill_product_layout layout;
        opmill_product_lay_out(&layout, &product, context);
        largest = opmill_product_workspace(&layout);
    }
    /* The memory of the product is free again when attention begins. */
    const size_t rest = opmill_attention_workspace(&tensors, false, &problem, context);
    largest = rest > largest ? rest : largest;
    return largest == SIZE_MAX ? largest
                               : opmill_workspace_size(product_bytes(&of, plan) + largest);
}

void opmill_projected_attention_prepare(opmill_packing *packing, void *to,
                                        const opmill_context *context) {
    const opmill_tensor *const weights = packing->inputs[WEIGHTS];
    opmill_matrix_product product;
    opmill_product_batch batch;
    const bool is_quantized = packing->operator->input_count == QUANTIZED_INPUTS;
    const opmill_tensor *const zero = is_quantized ? packing->inputs[WEIGHT_ZERO_POINT] : NULL;
    if (weights->rank != 2 || !opmill_product_of_right(&product, &batch, weights, zero)) {
        return;
    }
    product.type = is_quantized ? OPMILL_UINT32 : OPMILL_FLOAT;
    if (is_quantized) {
        product.a_type = OPMILL_UINT8;
        packing->keys[1] = opmill_packing_contents(packing, WEIGHT_ZERO_POINT);
    }
    opmill_product_prepare(packing, &product, to, context);
}
