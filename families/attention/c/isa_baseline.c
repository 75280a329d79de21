/* Attention of few queries for the instruction set that every machine of the target has. */
#include "families/attention/few.h"

#if OPMILL_GNU

#include <stddef.h>

#include "runtime/vectors/vector_baseline.h"

#include "families/attention/few_body.h"

VECTOR_END

#endif
