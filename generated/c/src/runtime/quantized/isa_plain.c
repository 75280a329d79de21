/* The loops over bytes in standard C. */
#include "runtime/quantized/bytes.h"

#include <string.h>

#include "runtime/numbers/half.h"

#include "runtime/vectors/vector_plain.h"

#include "runtime/vectors/vector_bytes.h"

#define LOOPS opmill_byte_loops_plain
#include "runtime/quantized/bytes_body.h"

VECTOR_END
