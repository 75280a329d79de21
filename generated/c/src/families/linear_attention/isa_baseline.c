/* A token of LinearAttention for the instruction set that every machine of the target has. */
#include "families/linear_attention/step.h"

#if OPMILL_GNU

#include "runtime/vectors/vector_baseline.h"

#include "families/linear_attention/step_body.h"

VECTOR_END

#endif
