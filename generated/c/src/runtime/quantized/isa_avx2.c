/* The loops over bytes for AVX2. */
#include "runtime/quantized/bytes.h"

#if OPMILL_X86_64

#include <string.h>

#include "runtime/numbers/half.h"

#include "runtime/vectors/vector_avx2.h"
#include "runtime/vectors/vector_integers.h"

#include "runtime/vectors/vector_bytes.h"

#define LOOPS opmill_byte_loops_avx2
#include "runtime/quantized/bytes_body.h"

VECTOR_END

#endif
