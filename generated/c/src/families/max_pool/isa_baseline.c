/* The rows and the planes kernel for what the compiler may assume without being told. */
#include "functions.h"
#include "runtime/platform/platform.h"

#if OPMILL_GNU

#include <math.h>
#include <string.h>

#include "planes.h"
#include "rows.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"

#include "vector_baseline.h"

#include "types_body.h"

VECTOR_END

#endif
