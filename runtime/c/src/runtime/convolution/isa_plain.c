/* Convolutions in standard C. */
#include "runtime/convolution/functions.h"

#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"

#include <math.h>
#include <string.h>

#include "runtime/vectors/vector_plain.h"

#define VECTOR_BODY "runtime/convolution/body.h"
#include "runtime/vectors/vector_types.h"

VECTOR_END
