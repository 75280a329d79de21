/* The kernels for AVX-512. */
#include "functions.h"
#include "runtime/platform/platform.h"

#if OPMILL_X86_64

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

#include "runtime/vectors/vector_avx512.h"

#include "types_body.h"

VECTOR_END

#endif
