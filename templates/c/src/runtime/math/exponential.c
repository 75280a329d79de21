/* exp and expm1 over runs of elements. */
#include "runtime/math/exponential.h"

#define FUNCTIONS(LOOP) LOOP(exp) LOOP(expm1)
#include "runtime/math/loops.h"
