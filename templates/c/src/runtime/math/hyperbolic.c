/* sinh, cosh, tanh and their inverses over runs of elements. */
#include "runtime/math/hyperbolic.h"

#define FUNCTIONS(LOOP) LOOP(sinh) LOOP(cosh) LOOP(tanh) LOOP(asinh) LOOP(acosh) LOOP(atanh)
#include "runtime/math/loops.h"
