/* A token of LinearAttention for AVX2. */
#include "families/linear_attention/step.h"

#if OPMILL_X86_64

#include "runtime/vectors/vector_avx2.h"

#include "families/linear_attention/step_body.h"

VECTOR_END

#endif
