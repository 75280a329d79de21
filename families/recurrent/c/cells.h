/* Update of the state of one sequence in a step. */
#ifndef OPMILL_RECURRENT_CELLS_H
#define OPMILL_RECURRENT_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/elementwise/activations.h"

/* What the sequences of a batch share, in one direction. Numbers are of `type`, float or double;
 * gates are in the order of ONNX. */
typedef struct opmill_recurrent_cell {
    int32_t type;
    int32_t isa;
    int64_t hidden, gates;
    bool couples, linear_before_reset;
    opmill_activation activations[3];
    const void *bias;           /* of all gates */
    const void *recurrent_bias; /* of the hidden gate, where linear_before_reset keeps it apart */
    const void *peepholes;      /* or NULL */
} opmill_recurrent_cell;

/* A sequence: the input times its weights, the state times its own, the gates, and the state.
 * Inputs of an LSTM are NULL where these and biases have been added to the sums. */
typedef struct opmill_recurrent_row {
    const void *inputs;
    void *sums, *gates;
    void *h, *c;
    void *reset; /* the state times the reset gate, which is what the hidden gate takes */
} opmill_recurrent_row;

/* The step; of a GRU the first part, and that is all but the hidden gate. */
void opmill_recurrent_step(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row);

/* The rest of a step of a GRU. */
void opmill_recurrent_finish(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row);

#endif
