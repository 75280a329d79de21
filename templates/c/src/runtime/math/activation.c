/* Activations of networks over runs of elements. */
#include "runtime/math/activation.h"

#define FUNCTIONS(LOOP) LOOP(sigmoid) LOOP(softplus) LOOP(mish) LOOP(gelu) LOOP(gelu_tanh)
#include "runtime/math/loops.h"
