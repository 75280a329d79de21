/* The elementary functions of one argument, by name: the loops of the library, and what the C
 * library of the machine computes in double, within a few units of the last place of double: exact
 * enough to judge a float. */
#ifndef OPMILL_TEST_MATH_FUNCTIONS_H
#define OPMILL_TEST_MATH_FUNCTIONS_H

#include <math.h>
#include <string.h>

#include "runtime/math/math.h"

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }

static double mish(double x) { return x * tanh(softplus(x)); }

static double gelu(double x) { return 0.5 * x * erfc(-0.70710678118654752440 * x); }

static double gelu_tanh(double x) {
    return x * sigmoid(1.5957691216057307117 * (x + 0.044715 * x * x * x));
}

static double silu(double x) { return x * sigmoid(x); }

typedef struct function {
    const char *name;
    opmill_math_loop *(*loop)(int32_t type, int32_t isa);
    double (*reference)(double x);
} function;

#define ENTRY(name) {#name, opmill_math_##name, name}
static const function functions[] = {
    ENTRY(exp),  ENTRY(expm1), ENTRY(log),     ENTRY(log1p),    ENTRY(sin),       ENTRY(cos),
    ENTRY(tan),  ENTRY(asin),  ENTRY(acos),    ENTRY(atan),     ENTRY(sinh),      ENTRY(cosh),
    ENTRY(tanh), ENTRY(asinh), ENTRY(acosh),   ENTRY(atanh),    ENTRY(erf),       ENTRY(erfc),
    ENTRY(gelu), ENTRY(mish),  ENTRY(sigmoid), ENTRY(softplus), ENTRY(gelu_tanh), ENTRY(silu),
};

/* Those with parameters, with the values that the tests use. */
static const double ALPHA = 1.6732632423543772, GAMMA = 1.0507009873554805;

static double elu(double x) { return GAMMA * (x < 0 ? ALPHA * expm1(x) : x); }

static double celu(double x) { return x < 0 ? ALPHA * expm1(x / ALPHA) : x + 0; /* of -0, 0 */ }

static double swish(double x) { return x / (1 + exp(-ALPHA * x)); }

typedef struct parameter_function {
    const char *name;
    opmill_parameter_loop *(*loop)(int32_t type, int32_t isa);
    double (*reference)(double x);
} parameter_function;

static const parameter_function parameter_functions[] = {ENTRY(elu), ENTRY(celu), ENTRY(swish)};
#undef ENTRY

enum { PARAMETER_FUNCTION_COUNT = 3, FUNCTION_COUNT = sizeof functions / sizeof *functions };

#endif
