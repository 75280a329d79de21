/* Products for AVX-512. */
#include "runtime/product/functions.h"

#if OPMILL_X86_64

#include "runtime/elements.h"
#include "runtime/half.h"

#include <math.h>
#include <string.h>

#include "runtime/vector_avx512.h"
#include "runtime/vector_integers.h"

#define VECTOR_BODY "runtime/product/body.h"
#include "runtime/vector_types.h"

VECTOR_END

#endif
