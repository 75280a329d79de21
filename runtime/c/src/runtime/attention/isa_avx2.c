/* Attention of few queries for AVX2. */
#include "runtime/attention/query_rows.h"

#if OPMILL_X86_64

#include <stddef.h>

#include "runtime/vectors/vector_avx2.h"

#include "runtime/attention/query_rows_body.h"

VECTOR_END

#endif
