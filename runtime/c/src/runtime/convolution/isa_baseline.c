/* Convolutions for the instruction set that every machine of the target has. */
#include "runtime/convolution/functions.h"

#if OPMILL_GNU

#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"

#include <math.h>
#include <string.h>

#include "runtime/vectors/vector_baseline.h"
#include "runtime/vectors/vector_integers.h"

#define VECTOR_BODY "runtime/convolution/body.h"
#include "runtime/vectors/vector_types.h"

VECTOR_END

#endif
