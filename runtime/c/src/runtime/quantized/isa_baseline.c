/* The loops over bytes for the instruction set that every machine of the target has. */
#include "runtime/quantized/bytes.h"

#if OPMILL_BYTES_BASELINE

#include <string.h>

#include "runtime/numbers/half.h"

#include "runtime/vectors/vector_baseline.h"
#include "runtime/vectors/vector_integers.h"

#include "runtime/vectors/vector_bytes.h"

#define LOOPS opmill_byte_loops_baseline
#include "runtime/quantized/bytes_body.h"

VECTOR_END

#endif
