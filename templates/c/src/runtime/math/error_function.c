/* erf and erfc over runs of elements. */
#include "runtime/math/error_function.h"

#define FUNCTIONS(LOOP) LOOP(erf) LOOP(erfc)
#include "runtime/math/loops.h"
