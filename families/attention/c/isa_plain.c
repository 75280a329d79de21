/* Attention of few queries in standard C. */
#include "families/attention/few.h"

#include <stddef.h>

#include "runtime/vectors/vector_plain.h"

#include "families/attention/few_body.h"

VECTOR_END
