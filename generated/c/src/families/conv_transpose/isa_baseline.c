/* The kernels for the compiler's default instruction set. */
#include "functions.h"
#include "runtime/platform/platform.h"

#if OPMILL_GNU

#include "columns.h"
#include "depthwise.h"
#include "direct.h"
#include "small_input.h"
#include "groups.h"
#include "phases.h"
#include "taps.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"

#include <string.h>

#include "runtime/vectors/vector_baseline.h"

#include "types_body.h"

VECTOR_END

#endif
