/* Convolutions for AVX2. */
#include "runtime/convolution/functions.h"

#if OPMILL_X86_64

#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"

#include <math.h>
#include <string.h>

#include "runtime/vectors/vector_avx2.h"
#include "runtime/vectors/vector_integers.h"

#define VECTOR_BODY "runtime/convolution/body.h"
#include "runtime/vectors/vector_types.h"

VECTOR_END

#endif
