/* Elementary functions of float and double, over runs of adjacent elements.
 *
 *     opmill_math_exp(type, isa)(x, y, count)     y[i] = exp(x[i])
 *
 * Each function returns the loop for OPMILL_FLOAT or OPMILL_DOUBLE and a level of enum opmill_isa.
 * Results of float are within 1 unit in the last place, those of double within 2, and depend on
 * nothing but the argument: not on the machine, the instruction set, the compiler or the position.
 * The argument may be anything. A NaN gives the same NaN, made quiet; what is not defined, as
 * log(-1), gives a NaN with the sign bit clear. Subnormal numbers must not be flushed to zero, and
 * rounding must be to nearest, as is the rule.
 *
 * The largest errors in units of the last place, of all floats and of many doubles:
 *
 *                 float  double                          float  double
 *     exp          0.99     1.1      sinh                 0.85     0.8
 *     expm1        0.52     1.1      cosh                 0.70     1.2
 *     log          0.93     0.9      tanh                 0.64     1.4
 *     log1p        0.51     0.9      asinh                0.51     1.3
 *     sin, cos     0.95     0.9      acosh                0.51     0.9
 *     tan          0.90     1.0      atanh                0.51     0.9
 *     asin, acos   0.51     0.7      erf                  0.77     1.5
 *     atan         0.64     1.4      erfc                 0.53     1.9
 *     pow          0.80     0.8
 *     sigmoid      0.93     1.7      1 / (1 + exp(-x))
 *     softplus     0.95     1.2      log(1 + exp(x))
 *     mish         0.51     1.5      x tanh(softplus(x))
 *     gelu         0.95     1.9      x (1 + erf(x / sqrt(2))) / 2
 *     gelu_tanh    0.96     1.6      x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
 *     silu         0.89     1.6      x / (1 + exp(-x)), as swish with an alpha of 1
 *     elu, celu, swish: 0.52, 1.9    with parameters, see below
 *
 * tests/elementary measures them. */
#ifndef OPMILL_MATH_H
#define OPMILL_MATH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/elementwise/elementwise.h"

/* Computes `count` elements of `to` from as many of `from`, which do not overlap. */
typedef void opmill_math_loop(const void *from, void *to, int64_t count);

/* The same of two operands, each of which may be one element for all. */
typedef void opmill_math_binary_loop(const void *a, bool a_is_one, const void *b, bool b_is_one,
                                     void *to, int64_t count);

opmill_math_loop *opmill_math_exp(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_expm1(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_log(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_log1p(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_sin(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_cos(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_tan(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_asin(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_acos(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_atan(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_sinh(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_cosh(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_tanh(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_asinh(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_acosh(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_atanh(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_erf(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_erfc(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_sigmoid(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_softplus(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_mish(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_gelu(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_gelu_tanh(int32_t type, int32_t isa);
opmill_math_loop *opmill_math_silu(int32_t type, int32_t isa);

/* Functions with parameters: of float too, they are double. A result of float rounds once. */
typedef void opmill_parameter_loop(const void *from, void *to, int64_t count, double alpha,
                                   double gamma);

/* gamma x from 0 on, gamma alpha (exp(x) - 1) below. */
opmill_parameter_loop *opmill_math_elu(int32_t type, int32_t isa);
/* max(0, x) + min(0, alpha (exp(x / alpha) - 1)); gamma is not used. */
opmill_parameter_loop *opmill_math_celu(int32_t type, int32_t isa);
/* x / (1 + exp(-alpha x)); gamma is not used. */
opmill_parameter_loop *opmill_math_swish(int32_t type, int32_t isa);

/* pow(a, b); an operand may be one number for all. Of b = 2, 1/2, -1 and 1, and of float 3, 4, -1/2
 * and -2, it is what products, quotients and square roots give: fast where b is one number. */
opmill_math_binary_loop *opmill_math_pow(int32_t type, int32_t isa);

#endif
