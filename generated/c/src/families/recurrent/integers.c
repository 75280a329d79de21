/* Products of a recurrent layer with weights of 8-bit integers: the input is quantized once for the
 * call, the state of the whole batch in each step. Declared in layer.h and layer_parts.h. */
#include <string.h>

#include "families/recurrent/layer_parts.h"
#include "runtime/platform/platform.h"
#include "runtime/product/operands.h"
#include "runtime/platform/isa.h"
#include "runtime/quantized/dynamic.h"

enum { CHUNK = OPMILL_ON_STACK(256, 64) };

enum { W = 1, R = 2, W_ZERO_POINT = 9, R_ZERO_POINT = 11, INPUTS = 12 }; /* positions */

/* Integer sums as floats, times the scales of both factors, plus the terms. */
static void finish(const opmill_matrix_product *product, int64_t batch, int64_t row, int64_t column,
                   int64_t rows, int64_t columns, const void *sums, int64_t pitch) {
    const opmill_recurrent_scaling *const scaling = product->state;
    float factors[CHUNK];
    (void)batch;
    for (int64_t i = 0; i < columns; i += CHUNK) {
        const int64_t count = columns - i < CHUNK ? columns - i : CHUNK;
        for (int64_t k = 0; k < count && scaling->step == 1; k++) {
            factors[k] = scaling->scale * scaling->scales[column + i + k];
        }
        for (int64_t r = 0; r < rows; r++) {
            float *const to = (float *)product->c + (row + r) * product->c_row + column + i;
            const uint32_t *const of_row = (const uint32_t *)sums + r * pitch + i;
            const float *const terms = scaling->terms + (row + r) * scaling->terms_row + column + i;
            if (scaling->step == 1) {
                scaling->loops->scale_sums_each(to, of_row, factors, terms, count);
            } else {
                scaling->loops->scale_sums(to, of_row, 0, scaling->scale * scaling->scales[0],
                                           terms, count);
            }
        }
    }
}

/* The values of a direction in a tensor of one for each direction, or for each of its columns. */
static const void *of_direction(const opmill_recurrent_layer *layer, const opmill_tensor *values,
                                int64_t *step) {
    const int64_t each = values->rank > 1 ? values->dims[1] : 1;
    *step = values->rank > 1;
    return values->data == NULL ? NULL
                                : (const char *)values->data +
                                      layer->direction * each * opmill_type_bytes(values->type);
}

/* The right matrix: the weights of a direction, `k` rows, in their packed form if there is one. */
static void describe_right(const opmill_recurrent_layer *layer, opmill_matrix_product *product,
                           const opmill_tensor *weights, const opmill_tensor *zero_point,
                           int32_t input, int64_t k) {
    const char *const prepared = opmill_prepared_form(layer->context, input);
    memset(product, 0, sizeof *product);
    product->n = layer->rows;
    product->k = k;
    product->type = OPMILL_UINT32;
    product->a_type = OPMILL_UINT8;
    product->b_type = weights->type;
    product->c_type = OPMILL_FLOAT;
    product->b_row = layer->rows;
    product->b_column = 1;
    product->batches = 1;
    product->alpha = 1;
    product->b_zero = of_direction(layer, zero_point, &product->b_zero_column);
    if (weights->data != NULL) {
        product->b = (const char *)weights->data + layer->direction * k * layer->rows;
    }
    if (prepared != NULL) {
        product->b_packed = prepared + (uint64_t)layer->direction *
                                           opmill_product_packed_bytes(product, layer->context);
    }
}

/* The left matrix of bytes, the rows of C, and what becomes of the sums. */
static void describe_left(opmill_recurrent_layer *layer, opmill_matrix_product *product,
                          opmill_recurrent_scaling *scaling, const opmill_tensor *scales) {
    product->a_row = product->k;
    product->a_column = 1;
    product->a_zero = &scaling->zero_point;
    product->c_row = layer->rows;
    product->finish = finish;
    product->state = scaling;
    scaling->scales = of_direction(layer, scales, &scaling->step);
    scaling->loops = opmill_quantize_loops_for(opmill_isa_select(layer->context->isa));
}

void opmill_recurrent_describe_integer_inputs(opmill_recurrent_layer *layer,
                                              opmill_matrix_product *product, int64_t first,
                                              int64_t steps) {
    const opmill_recurrent_tensors *const tensors = layer->tensors;
    describe_right(layer, product, tensors->W, tensors->W_zero_point, W, layer->input);
    describe_left(layer, product, &layer->x_scaling, tensors->W_scale);
    product->m = steps * layer->batch;
    if (layer->memory != NULL) {
        const uint64_t rows = layer->reverses ? layer->x_reversed : layer->x_bytes;
        product->a = layer->memory + rows + first * layer->batch * layer->input;
        product->c = layer->memory + layer->inputs;
        layer->x_scaling.terms = (const float *)(const void *)(layer->memory + layer->bias);
    }
}

void opmill_recurrent_describe_integer_weights(const opmill_recurrent_layer *layer,
                                               opmill_matrix_product *product) {
    const opmill_recurrent_tensors *const tensors = layer->tensors;
    describe_right(layer, product, tensors->R, tensors->R_zero_point, R, layer->hidden);
}

void opmill_recurrent_describe_integer_state(opmill_recurrent_layer *layer,
                                             opmill_matrix_product *product) {
    static const char missing = 0; /* placeholder until memory is known */
    opmill_recurrent_describe_integer_weights(layer, product);
    describe_left(layer, product, &layer->h_scaling, layer->tensors->R_scale);
    product->m = layer->batch;
    product->b = NULL;
    if (product->b_packed == NULL) {
        product->b_packed = layer->memory != NULL ? layer->memory + layer->recurrent : &missing;
    }
    if (layer->memory != NULL) {
        product->a = layer->memory + layer->h_bytes;
        product->c = layer->memory + layer->sums;
    }
}

void opmill_recurrent_quantize_input(opmill_recurrent_layer *layer) {
    opmill_quantize_dynamically(layer->tensors->X->data, layer->steps * layer->batch * layer->input,
                                (uint8_t *)layer->memory + layer->x_bytes, &layer->x_scaling.scale,
                                &layer->x_scaling.zero_point, layer->context);
}

void opmill_recurrent_reverse_input(const opmill_recurrent_layer *layer) {
    const char *const from = layer->memory + layer->x_bytes;
    char *const to = layer->memory + layer->x_reversed;
    const size_t bytes = (size_t)layer->input;
    for (int64_t row = 0; row < layer->batch && bytes > 0; row++) {
        const int64_t length = opmill_recurrent_length(layer, row);
        for (int64_t step = 0; step < layer->steps; step++) {
            const int64_t time = step < length ? length - 1 - step : step;
            memcpy(to + (step * layer->batch + row) * layer->input,
                   from + (time * layer->batch + row) * layer->input, bytes);
        }
    }
}

void opmill_recurrent_quantize_state(opmill_recurrent_layer *layer) {
    const float *h = (const float *)(const void *)(layer->memory + layer->h);
    const int64_t first = (layer->step - layer->chunk_first) * layer->batch * layer->rows;
    layer->h_scaling.terms = (const float *)(const void *)(layer->memory + layer->inputs) + first;
    layer->h_scaling.terms_row = layer->rows;
    if (layer->tensors->sequence_lens != NULL) {
        float *const present = (float *)(void *)(layer->memory + layer->reset);
        const size_t bytes = (size_t)layer->hidden * sizeof *h;
        for (int64_t row = 0; row < layer->batch; row++) {
            if (opmill_recurrent_length(layer, row) < layer->step) {
                memset(present + row * layer->hidden, 0, bytes);
            } else {
                memcpy(present + row * layer->hidden, h + row * layer->hidden, bytes);
            }
        }
        h = present;
    }
    opmill_quantize_dynamically(h, layer->batch * layer->hidden,
                                (uint8_t *)layer->memory + layer->h_bytes, &layer->h_scaling.scale,
                                &layer->h_scaling.zero_point, layer->context);
}

void opmill_recurrent_pack_integers(opmill_packing *packing, void *to,
                                    const opmill_context *context) {
    if (packing->operator->input_count != INPUTS) {
        return;
    }
    const int32_t position = packing->input == W ? W_ZERO_POINT : R_ZERO_POINT;
    const opmill_tensor *const weights = packing->inputs[packing->input];
    const opmill_tensor *const zero_point = packing->inputs[position];
    if (weights->rank != 3 || opmill_product_size(weights->dims, 3) == 0 || zero_point == NULL ||
        zero_point->type != weights->type || zero_point->rank < 1 || zero_point->rank > 2 ||
        zero_point->dims[0] != weights->dims[0] ||
        (zero_point->rank == 2 && zero_point->dims[1] != weights->dims[2])) {
        return;
    }
    static const int64_t ALIKE = 0; /* there is no left factor */
    const int64_t columns = weights->dims[2], matrix = weights->dims[1] * columns;
    const int64_t zero_step = zero_point->rank == 2 ? columns : 1;
    const opmill_matrix_product product = {.m = 1,
                                           .n = columns,
                                           .k = weights->dims[1],
                                           .type = OPMILL_UINT32,
                                           .a_type = OPMILL_UINT8,
                                           .b_type = weights->type,
                                           .b = weights->data,
                                           .b_row = columns,
                                           .b_column = 1,
                                           .batches = weights->dims[0],
                                           .batch_rank = 1,
                                           .batch_dims = weights->dims,
                                           .a_batch = &ALIKE,
                                           .b_batch = &matrix,
                                           .b_zero = zero_point->data,
                                           .b_zero_column = zero_point->rank == 2,
                                           .b_zero_batch = &zero_step,
                                           .alpha = 1};
    packing->keys[1] = opmill_packing_contents(packing, position);
    opmill_product_prepare(packing, &product, to, context);
}
