/* Attention of few queries for AVX-512. */
#include "runtime/attention/query_rows.h"

#if OPMILL_X86_64

#include <stddef.h>

#include "runtime/vectors/vector_avx512.h"

#include "runtime/attention/query_rows_body.h"

VECTOR_END

#endif
