/* asin, acos and atan over runs of elements. */
#include "runtime/math/inverse_trigonometric.h"

#define FUNCTIONS(LOOP) LOOP(asin) LOOP(acos) LOOP(atan)
#include "runtime/math/loops.h"
