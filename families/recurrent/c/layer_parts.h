/* The parts of a recurrent layer's computation that its sources share. */
#ifndef OPMILL_RECURRENT_LAYER_PARTS_H
#define OPMILL_RECURRENT_LAYER_PARTS_H

#include "families/recurrent/cells.h"
#include "families/recurrent/layer.h"
#include "runtime/numbers/used_types.h"
#include "runtime/product/product.h"
#include "runtime/quantized/loops.h"

/* A left factor that is quantized, the scales of the right one's columns, one for all, or one for
 * each with a step of 1, and what is added to the product: biases to that of the inputs, this to
 * that of the state. */
typedef struct opmill_recurrent_scaling {
    const quantize_loops *loops;
    const float *scales;
    int64_t step;
    float scale;
    uint8_t zero_point;
    const float *terms;
    int64_t terms_row; /* from the terms of a row to those of the next */
} opmill_recurrent_scaling;

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
     * apart where it takes another state; the values of the gates. */
    uint64_t recurrent, recurrent_hidden, bias, recurrent_bias, peepholes, inputs, sums, values, h,
        c, reset, products;
    /* With integer weights: the input, its rows in the order of the steps of the reverse direction,
     * and the state, as bytes. */
    uint64_t x_bytes, x_reversed, h_bytes;
    uint64_t bytes;
    char *memory;

    opmill_recurrent_cell cell;
    opmill_matrix_product all_gates, hidden_gate;
    opmill_product_layout all_layout, hidden_layout;

    bool has_integers; /* whether the weights are integers */
    bool reverses;     /* whether the steps of the direction, counted from 0, go back in time */
    opmill_recurrent_scaling x_scaling, h_scaling;

    int64_t direction;
    int64_t step; /* the index of time; with integer weights the number of steps before */
    int64_t chunk_first, chunk_steps;
    int64_t task_rows; /* sequences of a task */
    bool finishes;     /* whether the hidden gate of a GRU is due */
} opmill_recurrent_layer;

/* Whether the weights are integers; the linker leaves out what only these need where a program has
 * none. */
static inline bool opmill_recurrent_has_integers(const opmill_recurrent_layer *layer) {
    return (OPMILL_USES(INT8) || OPMILL_USES(UINT8)) && layer->has_integers;
}

/* True if there are no steps, sequences or units. */
bool opmill_recurrent_is_empty(const opmill_recurrent_tensors *tensors);

/* The sizes, and the offsets in a workspace that begins with the layer itself; not of an empty
 * layer. */
void opmill_recurrent_lay_out(opmill_recurrent_layer *layer,
                              const opmill_recurrent_tensors *tensors,
                              const opmill_recurrent_plan *plan, const opmill_context *context);

/* The number of steps of a sequence. */
int64_t opmill_recurrent_length(const opmill_recurrent_layer *layer, int64_t row);

/* Packs the recurrent weights of the direction. */
void opmill_recurrent_pack(const opmill_recurrent_layer *layer);

/* The layouts of the products of the steps; that of a GRU's hidden gate, where it has one. */
void opmill_recurrent_lay_out_products(opmill_recurrent_layer *layer);
void opmill_recurrent_lay_out_hidden(opmill_recurrent_layer *layer);

/* The product of the inputs of some steps and their weights: a batch of products where the
 * sequences come first. */
void opmill_recurrent_describe_inputs(opmill_recurrent_layer *layer, opmill_matrix_product *product,
                                      int64_t first, int64_t steps);

/* With integer weights: quantizes the input, stores its rows in reverse, each sequence from its own
 * end, and quantizes the state before a step, to whose product the inputs are added. Sequences that
 * ended before the last step count as zeros. */
void opmill_recurrent_quantize_input(opmill_recurrent_layer *layer);
void opmill_recurrent_reverse_input(const opmill_recurrent_layer *layer);
void opmill_recurrent_quantize_state(opmill_recurrent_layer *layer);

/* The products with integer weights: of the inputs of some steps, of the state in a step. The
 * weights of the state alone, for packing. */
void opmill_recurrent_describe_integer_inputs(opmill_recurrent_layer *layer,
                                              opmill_matrix_product *product, int64_t first,
                                              int64_t steps);
void opmill_recurrent_describe_integer_weights(const opmill_recurrent_layer *layer,
                                               opmill_matrix_product *product);
void opmill_recurrent_describe_integer_state(opmill_recurrent_layer *layer,
                                             opmill_matrix_product *product);

#endif
