/* Products for the instruction set that every machine of the target has. */
#include "runtime/product/functions.h"

#if OPMILL_GNU

#include "runtime/elements.h"
#include "runtime/half.h"

#include <math.h>
#include <string.h>

#include "runtime/vector_baseline.h"
#include "runtime/vector_integers.h"

#define VECTOR_BODY "runtime/product/body.h"
#include "runtime/vector_types.h"

VECTOR_END

#endif
