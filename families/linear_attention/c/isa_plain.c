/* A token of LinearAttention in standard C. */
#include "families/linear_attention/step.h"

#include "runtime/vectors/vector_plain.h"

#include "families/linear_attention/step_body.h"

VECTOR_END
