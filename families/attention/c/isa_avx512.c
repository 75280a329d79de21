/* Attention of few queries for AVX-512. */
#include "families/attention/few.h"

#if OPMILL_X86_64

#include <stddef.h>

#include "runtime/vectors/vector_avx512.h"

#include "families/attention/few_body.h"

VECTOR_END

#endif
