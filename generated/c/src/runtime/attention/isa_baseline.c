/* Attention of few queries for the instruction set that every machine of the target has. */
#include "runtime/attention/query_rows.h"

#if OPMILL_GNU

#include <stddef.h>

#include "runtime/vectors/vector_baseline.h"

#include "runtime/attention/query_rows_body.h"

VECTOR_END

#endif
