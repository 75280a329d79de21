/* The loops in standard C, for what the compiler may assume without being told. */
#include <math.h>

#include "loops.h"
#include "runtime/half.h"

#define CAST_LOOPS opmill_cast_loops_plain
#define CAST_ISA OPMILL_ISA_PLAIN
#include "loops_body.h"
