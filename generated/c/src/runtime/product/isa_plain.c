/* Products in standard C. */
#include "runtime/product/functions.h"

#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"

#include <math.h>
#include <string.h>

#include "runtime/vectors/vector_plain.h"

#define VECTOR_BODY "runtime/product/body.h"
#include "runtime/vectors/vector_types.h"

VECTOR_END
