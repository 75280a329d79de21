/* The rows and the planes kernel for AVX2. */
#include "functions.h"
#include "runtime/platform/platform.h"

#if OPMILL_X86_64

#include <math.h>
#include <string.h>

#include "planes.h"
#include "rows.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"

#include "vector_avx2.h"

#include "types_body.h"

VECTOR_END

#endif
