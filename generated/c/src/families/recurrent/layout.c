#include <string.h>

#include "families/recurrent/layer_parts.h"
#include "runtime/numbers/elements.h"
#include "runtime/product/operands.h"
#include "runtime/call/workspace.h"

enum { CHUNK_ROWS = 512 }; /* of the product of inputs and weights, at a time */

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Offset of so many bytes behind all others; what does not fit anywhere stays so. */
static uint64_t reserve_bytes(opmill_recurrent_layer *made, uint64_t size) {
    const uint64_t at = made->bytes;
    const uint64_t padded = OPMILL_WORKSPACE_ALIGNMENT * 2;
    made->bytes = size > UINT64_MAX - at - padded
                      ? UINT64_MAX - padded
                      : (at + size + OPMILL_WORKSPACE_ALIGNMENT - 1) / OPMILL_WORKSPACE_ALIGNMENT *
                            OPMILL_WORKSPACE_ALIGNMENT;
    return at;
}

/* The same of an array of a * b numbers. */
static uint64_t reserve(opmill_recurrent_layer *made, int64_t a, int64_t b) {
    return reserve_bytes(made, times(times((uint64_t)a, (uint64_t)b), (uint64_t)made->wide_bytes));
}

void opmill_recurrent_describe_inputs(const opmill_recurrent_layer *made,
                                      opmill_matrix_product *product, int64_t first,
                                      int64_t steps) {
    const opmill_tensor *const x = made->tensors->X, *const w = made->tensors->W;
    const bool batch_first = made->plan->batch_first != 0;
    const int64_t x_bytes = opmill_type_bytes(x->type);
    const int64_t w_offset = made->direction * made->rows * made->input * x_bytes;
    const int64_t x_offset = first * made->input * x_bytes * (batch_first ? 1 : made->batch);
    memset(product, 0, sizeof *product);
    product->m = batch_first ? steps : steps * made->batch;
    product->n = made->rows;
    product->k = made->input;
    product->type = product->c_type = made->wide;
    product->a_type = product->b_type = x->type;
    product->a = x->data != NULL ? (const char *)x->data + x_offset : NULL;
    product->b = w->data != NULL ? (const char *)w->data + w_offset : NULL;
    product->c = made->memory != NULL ? made->memory + made->inputs : NULL;
    product->a_row = made->input;
    product->a_column = 1;
    product->b_row = 1;
    product->b_column = made->input;
    product->c_row = made->rows;
    product->alpha = 1;
    product->batches = 1;
    if (batch_first) {
        static const int64_t ALIKE = 0;
        product->batches = made->batch;
        product->batch_rank = 1;
        product->batch_dims = &made->batch_dims;
        product->a_batch = &made->x_batch_step;
        product->b_batch = &ALIKE;
        product->c_batch = steps * made->rows;
    }
}

/* Whether the hidden gate of a GRU takes a state of its own, and not the others' one. */
static bool has_own_state(const opmill_recurrent_layer *made) {
    return made->gates == 3 && !made->plan->linear_before_reset;
}

/* The recurrent weights of some gates, which are transposed: the right matrix of a product. */
static void describe_weights(const opmill_recurrent_layer *made, opmill_matrix_product *product,
                             int64_t first_gate, int64_t gates) {
    const opmill_tensor *const r = made->tensors->R;
    const int64_t first = made->direction * made->rows + first_gate * made->hidden;
    memset(product, 0, sizeof *product);
    product->n = gates * made->hidden;
    product->k = made->hidden;
    product->type = product->a_type = product->c_type = made->wide;
    product->b_type = r->type;
    if (r->data != NULL) {
        product->b = (const char *)r->data + first * made->hidden * opmill_type_bytes(r->type);
    }
    product->b_row = 1;
    product->b_column = made->hidden;
    product->batches = 1;
    product->alpha = 1;
}

void opmill_recurrent_pack(const opmill_recurrent_layer *made) {
    opmill_matrix_product product;
    describe_weights(made, &product, 0, has_own_state(made) ? 2 : made->gates);
    opmill_product_pack(&product, made->memory + made->recurrent, made->context);
    if (has_own_state(made)) {
        describe_weights(made, &product, 2, 1);
        opmill_product_pack(&product, made->memory + made->recurrent_hidden, made->context);
    }
}

/* The product of a state and the packed weights of some gates. */
static void describe_recurrent(const opmill_recurrent_layer *made, opmill_matrix_product *product,
                               uint64_t state, uint64_t weights, int64_t first_gate,
                               int64_t gates) {
    static const char missing = 0; /* stands for memory that there is none of yet */
    describe_weights(made, product, first_gate, gates);
    product->b = NULL;
    product->b_packed = &missing;
    product->only_packed = true;
    product->m = made->batch;
    if (made->memory != NULL) {
        product->a = made->memory + state;
        product->b_packed = made->memory + weights;
        product->c = made->memory + made->sums + first_gate * made->hidden * made->wide_bytes;
    }
    product->a_row = made->hidden;
    product->a_column = 1;
    product->c_row = made->rows;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

bool opmill_recurrent_lay_out(opmill_recurrent_layer *made, const opmill_recurrent_tensors *tensors,
                              const opmill_recurrent_plan *plan, const opmill_context *context) {
    const opmill_tensor *const x = tensors->X, *const r = tensors->R;
    const int32_t time = plan->batch_first ? 1 : 0;
    memset(made, 0, sizeof *made);
    made->tensors = tensors;
    made->plan = plan;
    made->context = context;
    made->wide = x->type == OPMILL_DOUBLE ? OPMILL_DOUBLE : OPMILL_FLOAT;
    made->wide_bytes = opmill_type_bytes(made->wide);
    made->steps = x->dims[time];
    made->batch = x->dims[1 - time];
    made->input = x->dims[2];
    made->directions = r->dims[0];
    made->hidden = r->dims[2];
    made->gates = plan->gates;
    made->rows = r->dims[1];
    if (made->steps == 0 || made->batch == 0 || made->hidden == 0) {
        return false;
    }
    made->batch_dims = made->batch;
    made->x_batch_step = made->steps * made->input;
    made->chunk = (CHUNK_ROWS - 1) / made->batch + 1;
    made->chunk = made->chunk < made->steps ? made->chunk : made->steps;
    opmill_matrix_product product;
    describe_weights(made, &product, 0, has_own_state(made) ? 2 : made->gates);
    made->recurrent = reserve_bytes(made, opmill_product_packed_bytes(&product, context));
    if (has_own_state(made)) {
        describe_weights(made, &product, 2, 1);
        made->recurrent_hidden =
            reserve_bytes(made, opmill_product_packed_bytes(&product, context));
    }
    made->bias = reserve(made, 1, made->rows);
    made->recurrent_bias = reserve(made, 1, made->hidden);
    made->peepholes = reserve(made, 3, made->hidden);
    made->inputs = reserve(made, made->chunk * made->batch, made->rows);
    made->sums = reserve(made, made->batch, made->rows);
    made->h = reserve(made, made->batch, made->hidden);
    made->c = reserve(made, made->batch, made->hidden);
    made->reset = reserve(made, made->batch, made->hidden);
    made->products = made->bytes;
    return true;
}

void opmill_recurrent_lay_out_products(opmill_recurrent_layer *made) {
    const bool resets = has_own_state(made);
    describe_recurrent(made, &made->all_gates, made->h, made->recurrent, 0,
                       resets ? 2 : made->gates);
    opmill_product_lay_out(&made->all_layout, &made->all_gates, made->context);
    if (resets) {
        describe_recurrent(made, &made->hidden_gate, made->reset, made->recurrent_hidden, 2, 1);
        opmill_product_lay_out(&made->hidden_layout, &made->hidden_gate, made->context);
    }
}

size_t opmill_recurrent_workspace(const opmill_recurrent_tensors *tensors,
                                  const opmill_recurrent_plan *plan,
                                  const opmill_context *context) {
    opmill_recurrent_layer made;
    if (!opmill_recurrent_lay_out(&made, tensors, plan, context)) {
        return 0;
    }
    opmill_recurrent_lay_out_products(&made);
    size_t most = opmill_product_workspace(&made.all_layout);
    if (has_own_state(&made)) {
        most = larger(most, opmill_product_workspace(&made.hidden_layout));
    }
    const int64_t counts[] = {made.chunk, made.steps % made.chunk};
    for (int i = 0; i < 2; i++) {
        if (counts[i] > 0) {
            opmill_matrix_product product;
            opmill_product_layout layout;
            opmill_recurrent_describe_inputs(&made, &product, 0, counts[i]);
            opmill_product_lay_out(&layout, &product, context);
            most = larger(most, opmill_product_workspace(&layout));
        }
    }
    return opmill_workspace_size(most < UINT64_MAX - made.bytes ? made.bytes + most : UINT64_MAX);
}
