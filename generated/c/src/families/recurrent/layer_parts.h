/* The parts of a recurrent layer's computation that its sources share. */
#ifndef OPMILL_RECURRENT_LAYER_PARTS_H
#define OPMILL_RECURRENT_LAYER_PARTS_H

#include "families/recurrent/cells.h"
#include "families/recurrent/layer.h"
#include "runtime/product/product.h"

/* What is computed in which memory; a direction after the other uses the same. */
typedef struct opmill_recurrent_layer {
    const opmill_recurrent_tensors *tensors;
    const opmill_recurrent_plan *plan;
    const opmill_context *context;
    int32_t wide; /* the type of all numbers in the workspace */
    int64_t wide_bytes;
    int64_t steps, batch, input, hidden, gates, rows /* of the weights */, directions;
    int64_t chunk; /* steps whose inputs are multiplied at a time */
    int64_t batch_dims, x_batch_step;

    /* Offsets in the workspace; the weights of the state are packed, those of a GRU's hidden gate
     * apart where it takes another state. */
    uint64_t recurrent, recurrent_hidden, bias, recurrent_bias, peepholes, inputs, sums, h, c,
        reset, products;
    uint64_t bytes;
    char *memory;

    opmill_recurrent_cell cell;
    opmill_matrix_product all_gates, hidden_gate;
    opmill_product_layout all_layout, hidden_layout;

    int64_t direction;
    int64_t step; /* the index of time */
    int64_t chunk_first, chunk_steps;
    int64_t task_rows; /* sequences of a task */
    bool finishes;     /* whether the hidden gate of a GRU is due */
} opmill_recurrent_layer;

/* The sizes and the offsets; false where the layer computes nothing. */
bool opmill_recurrent_lay_out(opmill_recurrent_layer *layer,
                              const opmill_recurrent_tensors *tensors,
                              const opmill_recurrent_plan *plan, const opmill_context *context);

/* Packs the recurrent weights of the direction. */
void opmill_recurrent_pack(const opmill_recurrent_layer *layer);

/* The layouts of the products of the steps. */
void opmill_recurrent_lay_out_products(opmill_recurrent_layer *layer);

/* The product of the inputs of some steps and their weights: a batch of products where the
 * sequences come first. */
void opmill_recurrent_describe_inputs(const opmill_recurrent_layer *layer,
                                      opmill_matrix_product *product, int64_t first, int64_t steps);

#endif
