/* A recurrent layer: its sizes, its memory and its steps. */
#ifndef OPMILL_RECURRENT_LAYER_H
#define OPMILL_RECURRENT_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "families/recurrent/plan.h"
#include "opmill/types.h"
#include "runtime/call/prepared.h"

/* Inputs and outputs by the names of ONNX; NULL for absent ones. */
typedef struct opmill_recurrent_tensors {
    const opmill_tensor *X, *W, *R, *B, *sequence_lens, *initial_h, *initial_c, *P;
    const opmill_tensor *W_scale, *W_zero_point, *R_scale, *R_zero_point; /* of integer weights */
    opmill_tensor *Y, *Y_h, *Y_c;
} opmill_recurrent_tensors;

/* The workspace of the call; data may be missing. */
size_t opmill_recurrent_workspace(const opmill_recurrent_tensors *tensors,
                                  const opmill_recurrent_plan *plan, const opmill_context *context);

/* Computes the outputs; the lengths have been checked. */
void opmill_recurrent_run(const opmill_recurrent_tensors *tensors,
                          const opmill_recurrent_plan *plan, const opmill_context *context);

/* Describes the packed form of integer weights, or packs them, for opmill_prepare. Other weights
 * have none. */
void opmill_recurrent_pack_integers(opmill_packing *packing, void *to,
                                    const opmill_context *context);

#endif
