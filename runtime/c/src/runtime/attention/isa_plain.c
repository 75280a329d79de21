/* Attention of few queries in standard C. */
#include "runtime/attention/query_rows.h"

#include <stddef.h>

#include "runtime/vectors/vector_plain.h"

#include "runtime/attention/query_rows_body.h"

VECTOR_END
