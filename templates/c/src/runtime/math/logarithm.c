/* log and log1p over runs of elements. */
#include "runtime/math/logarithm.h"

#define FUNCTIONS(LOOP) LOOP(log) LOOP(log1p)
#include "runtime/math/loops.h"
