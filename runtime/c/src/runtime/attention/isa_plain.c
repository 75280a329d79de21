/* Attention of few queries in standard C. */
#include "runtime/attention/few.h"

#include <stddef.h>

#include "runtime/vectors/vector_plain.h"

#include "runtime/attention/few_body.h"

VECTOR_END
