/* Convolutions of 8-bit integers for AVX-512 VNNI. */
#include "runtime/convolution/quads.h"

#if OPMILL_X86_64

#include "runtime/numbers/elements.h"

#include <math.h>
#include <string.h>

#include "runtime/vectors/vector_avx512.h"
#include "runtime/vectors/vector_integers.h"
VECTOR_END

#include "runtime/vectors/vector_quads.h"

#include "runtime/convolution/quads_body.h"

QUADS_END

#endif
