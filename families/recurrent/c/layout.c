/* Lays out the workspace of a recurrent layer, describes its matrix products and packs its
 * recurrent weights. Declared in layer.h and layer_parts.h. */
#include <string.h>

#include "families/recurrent/layer_parts.h"
#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"
#include "runtime/product/operands.h"
#include "runtime/call/workspace.h"

/* Of the product of inputs and weights, at a time. Packed weights cost little to read again, and a
 * second-level cache holds fewer rows beside them. */
enum { CHUNK_ROWS = 512, INTEGER_CHUNK_ROWS = 128 };

int64_t opmill_recurrent_length(const opmill_recurrent_layer *layer, int64_t row) {
    const opmill_tensor *const lengths = layer->tensors->sequence_lens;
    return lengths != NULL ? opmill_bounds_read(lengths, row, 0, layer->steps) : layer->steps;
}

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Offset of so many bytes behind all others; what does not fit anywhere stays so. */
static uint64_t reserve_bytes(opmill_recurrent_layer *layer, uint64_t size) {
    const uint64_t at = layer->bytes;
    const uint64_t padded = OPMILL_WORKSPACE_ALIGNMENT * 2;
    layer->bytes = size > UINT64_MAX - at - padded
                       ? UINT64_MAX - padded
                       : (at + size + OPMILL_WORKSPACE_ALIGNMENT - 1) / OPMILL_WORKSPACE_ALIGNMENT *
                             OPMILL_WORKSPACE_ALIGNMENT;
    return at;
}

/* The same of an array of a * b numbers. */
static uint64_t reserve(opmill_recurrent_layer *layer, int64_t a, int64_t b) {
    return reserve_bytes(layer,
                         times(times((uint64_t)a, (uint64_t)b), (uint64_t)layer->wide_bytes));
}

void opmill_recurrent_describe_inputs(opmill_recurrent_layer *layer, opmill_matrix_product *product,
                                      int64_t first, int64_t steps) {
    if (opmill_recurrent_has_integers(layer)) {
        opmill_recurrent_describe_integer_inputs(layer, product, first, steps);
        return;
    }
    const opmill_tensor *const x = layer->tensors->X, *const w = layer->tensors->W;
    const bool batch_first = layer->plan->batch_first != 0;
    const int64_t x_bytes = opmill_type_bytes(x->type);
    const int64_t w_offset = layer->direction * layer->rows * layer->input * x_bytes;
    const int64_t x_offset = first * layer->input * x_bytes * (batch_first ? 1 : layer->batch);
    memset(product, 0, sizeof *product);
    product->m = batch_first ? steps : steps * layer->batch;
    product->n = layer->rows;
    product->k = layer->input;
    product->type = product->c_type = layer->wide;
    product->a_type = product->b_type = x->type;
    product->a = x->data != NULL ? (const char *)x->data + x_offset : NULL;
    product->b = w->data != NULL ? (const char *)w->data + w_offset : NULL;
    product->c = layer->memory != NULL ? layer->memory + layer->inputs : NULL;
    product->a_row = layer->input;
    product->a_column = 1;
    product->b_row = 1;
    product->b_column = layer->input;
    product->c_row = layer->rows;
    product->alpha = 1;
    product->batches = 1;
    if (batch_first) {
        static const int64_t ALIKE = 0;
        product->batches = layer->batch;
        product->batch_rank = 1;
        product->batch_dims = &layer->batch_dims;
        product->a_batch = &layer->x_batch_step;
        product->b_batch = &ALIKE;
        product->c_batch = steps * layer->rows;
    }
}

/* True if the hidden gate of a GRU takes a state of its own, and not the others' one. */
static bool has_own_state(const opmill_recurrent_layer *layer) {
    return layer->gates == 3 && !layer->plan->linear_before_reset;
}

/* The recurrent weights of some gates, which are transposed: the right matrix of a product. */
static void describe_weights(const opmill_recurrent_layer *layer, opmill_matrix_product *product,
                             int64_t first_gate, int64_t gates) {
    if (opmill_recurrent_has_integers(layer)) {
        opmill_recurrent_describe_integer_weights(layer, product);
        return;
    }
    const opmill_tensor *const r = layer->tensors->R;
    const int64_t first = layer->direction * layer->rows + first_gate * layer->hidden;
    memset(product, 0, sizeof *product);
    product->n = gates * layer->hidden;
    product->k = layer->hidden;
    product->type = product->a_type = product->c_type = layer->wide;
    product->b_type = r->type;
    if (r->data != NULL) {
        product->b = (const char *)r->data + first * layer->hidden * opmill_type_bytes(r->type);
    }
    product->b_row = 1;
    product->b_column = layer->hidden;
    product->batches = 1;
    product->alpha = 1;
}

void opmill_recurrent_pack(const opmill_recurrent_layer *layer) {
    opmill_matrix_product product;
    describe_weights(layer, &product, 0, has_own_state(layer) ? 2 : layer->gates);
    if (product.b_packed != NULL) {
        return;
    }
    opmill_product_pack(&product, layer->memory + layer->recurrent, layer->context);
    if (has_own_state(layer)) {
        describe_weights(layer, &product, 2, 1);
        opmill_product_pack(&product, layer->memory + layer->recurrent_hidden, layer->context);
    }
}

/* The product of a state and the packed weights of some gates. */
static void describe_recurrent(const opmill_recurrent_layer *layer, opmill_matrix_product *product,
                               uint64_t state, uint64_t weights, int64_t first_gate,
                               int64_t gates) {
    static const char missing = 0; /* placeholder until memory is known */
    describe_weights(layer, product, first_gate, gates);
    product->b = NULL;
    product->b_packed = &missing;
    product->only_packed = true;
    product->m = layer->batch;
    if (layer->memory != NULL) {
        product->a = layer->memory + state;
        product->b_packed = layer->memory + weights;
        product->c = layer->memory + layer->sums + first_gate * layer->hidden * layer->wide_bytes;
    }
    product->a_row = layer->hidden;
    product->a_column = 1;
    product->c_row = layer->rows;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

bool opmill_recurrent_is_empty(const opmill_recurrent_tensors *tensors) {
    const opmill_tensor *const x = tensors->X, *const r = tensors->R;
    const int64_t hidden = r->dims[tensors->W_scale != NULL ? 1 : 2];
    return x->dims[0] == 0 || x->dims[1] == 0 || hidden == 0;
}

void opmill_recurrent_lay_out(opmill_recurrent_layer *layer,
                              const opmill_recurrent_tensors *tensors,
                              const opmill_recurrent_plan *plan, const opmill_context *context) {
    const opmill_tensor *const x = tensors->X, *const r = tensors->R;
    const int32_t time = plan->batch_first ? 1 : 0;
    memset(layer, 0, sizeof *layer);
    layer->tensors = tensors;
    layer->plan = plan;
    layer->context = context;
    layer->wide = x->type == OPMILL_DOUBLE ? OPMILL_DOUBLE : OPMILL_FLOAT;
    layer->wide_bytes = opmill_type_bytes(layer->wide);
    layer->steps = x->dims[time];
    layer->batch = x->dims[1 - time];
    layer->input = x->dims[2];
    layer->has_integers = tensors->W_scale != NULL;
    layer->directions = r->dims[0];
    layer->hidden = r->dims[opmill_recurrent_has_integers(layer) ? 1 : 2];
    layer->gates = plan->gates;
    layer->rows = r->dims[opmill_recurrent_has_integers(layer) ? 2 : 1];
    layer->batch_dims = layer->batch;
    layer->x_batch_step = layer->steps * layer->input;
    layer->chunk = opmill_recurrent_has_integers(layer) ? INTEGER_CHUNK_ROWS : CHUNK_ROWS;
    layer->chunk = (layer->chunk - 1) / layer->batch + 1;
    layer->chunk = layer->chunk < layer->steps ? layer->chunk : layer->steps;
    opmill_matrix_product product;
    describe_weights(layer, &product, 0, has_own_state(layer) ? 2 : layer->gates);
    (void)reserve_bytes(layer, sizeof *layer);
    layer->recurrent = reserve_bytes(
        layer, product.b_packed != NULL ? 0 : opmill_product_packed_bytes(&product, context));
    if (has_own_state(layer)) {
        describe_weights(layer, &product, 2, 1);
        layer->recurrent_hidden =
            reserve_bytes(layer, opmill_product_packed_bytes(&product, context));
    }
    layer->bias = reserve(layer, 1, layer->rows);
    layer->recurrent_bias = reserve(layer, 1, layer->hidden);
    layer->peepholes = reserve(layer, 3, layer->hidden);
    layer->inputs = reserve(layer, layer->chunk * layer->batch, layer->rows);
    layer->sums = reserve(layer, layer->batch, layer->rows);
    layer->values = reserve(layer, layer->batch, layer->rows);
    layer->h = reserve(layer, layer->batch, layer->hidden);
    layer->c = reserve(layer, layer->batch, layer->hidden);
    layer->reset = reserve(layer, layer->batch, layer->hidden);
    if (opmill_recurrent_has_integers(layer)) {
        const uint64_t x_bytes =
            times(times((uint64_t)layer->steps, (uint64_t)layer->batch), (uint64_t)layer->input);
        layer->x_bytes = reserve_bytes(layer, x_bytes);
        layer->h_bytes =
            reserve_bytes(layer, times((uint64_t)layer->batch, (uint64_t)layer->hidden));
        layer->x_reversed =
            reserve_bytes(layer, plan->backward || layer->directions == 2 ? x_bytes : 0);
    }
    layer->products = layer->bytes;
}

void opmill_recurrent_lay_out_products(opmill_recurrent_layer *layer) {
    const bool resets = has_own_state(layer);
    if (opmill_recurrent_has_integers(layer)) {
        opmill_recurrent_describe_integer_state(layer, &layer->all_gates);
    } else {
        describe_recurrent(layer, &layer->all_gates, layer->h, layer->recurrent, 0,
                           resets ? 2 : layer->gates);
    }
    opmill_product_lay_out(&layer->all_layout, &layer->all_gates, layer->context);
    opmill_recurrent_lay_out_hidden(layer);
}

void opmill_recurrent_lay_out_hidden(opmill_recurrent_layer *layer) {
    if (has_own_state(layer)) {
        describe_recurrent(layer, &layer->hidden_gate, layer->reset, layer->recurrent_hidden, 2, 1);
        opmill_product_lay_out(&layer->hidden_layout, &layer->hidden_gate, layer->context);
    }
}

size_t opmill_recurrent_workspace(const opmill_recurrent_tensors *tensors,
                                  const opmill_recurrent_plan *plan,
                                  const opmill_context *context) {
    opmill_recurrent_layer layer;
    if (opmill_recurrent_is_empty(tensors)) {
        return 0;
    }
    opmill_recurrent_lay_out(&layer, tensors, plan, context);
    opmill_recurrent_lay_out_products(&layer);
    size_t largest = opmill_product_workspace(&layer.all_layout);
    if (has_own_state(&layer)) {
        largest = larger(largest, opmill_product_workspace(&layer.hidden_layout));
    }
    const int64_t counts[] = {layer.chunk, layer.steps % layer.chunk};
    for (int i = 0; i < 2; i++) {
        if (counts[i] > 0) {
            opmill_matrix_product product;
            opmill_product_layout layout;
            opmill_recurrent_describe_inputs(&layer, &product, 0, counts[i]);
            opmill_product_lay_out(&layout, &product, context);
            largest = larger(largest, opmill_product_workspace(&layout));
        }
    }
    return opmill_workspace_size(largest < UINT64_MAX - layer.bytes ? layer.bytes + largest
                                                                    : UINT64_MAX);
}
