/* Convolutions in standard C. */
#include "runtime/convolution/functions.h"

#include "runtime/elements.h"
#include "runtime/half.h"

#include <math.h>
#include <string.h>

#include "runtime/vector_plain.h"

#define VECTOR_BODY "runtime/convolution/body.h"
#include "runtime/vector_types.h"

VECTOR_END
