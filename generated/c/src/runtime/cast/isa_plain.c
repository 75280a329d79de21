/* The loops in standard C, for the compiler's default instruction set. */
#include <math.h>

#include "loops.h"
#include "runtime/numbers/half.h"

#define CAST_LOOPS opmill_cast_loops_plain
#define CAST_ISA OPMILL_ISA_PLAIN
#include "loops_body.h"
