/* Products in standard C. */
#include "runtime/product/functions.h"

#include "runtime/elements.h"
#include "runtime/half.h"

#include <math.h>
#include <string.h>

#include "runtime/vector_plain.h"

#define VECTOR_BODY "runtime/product/body.h"
#include "runtime/vector_types.h"

VECTOR_END
