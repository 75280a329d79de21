/* erf and erfc. In double they share nothing; the comment of erf says how it is computed.
 *
 * For erfc, erf(x) / x is a polynomial of x^2 to 3/4. Above,
 *
 *     erfc(a) = exp(-a^2) g((a - 4) / (a + 4)) / (1 + 2 a)
 *
 * where g is close to 1.2 everywhere. */
#ifndef OPMILL_MATH_ERROR_FUNCTION_H
#define OPMILL_MATH_ERROR_FUNCTION_H

#include "runtime/math/exponential.h"

/* erfc(a) as m 2^k, for a from 3/4 to 28 and its square. */
OPMILL_INLINE opmill_scaled opmill_erfc_scaled(opmill_pair a, opmill_pair square) {
    const opmill_pair g = {opmill_poly_erfcx_long((a.high - 4) / (a.high + 4)), 0};
    opmill_scaled result = opmill_exp_scaled(-square.high, -square.low);
    opmill_pair below = opmill_sum(1, 2 * a.high);
    opmill_pair quotient;
    below.low += 2 * a.low;
    quotient = opmill_quotient(g, below);
    result.m = opmill_product_of_pairs(result.m, quotient);
    return result;
}

/* a + a P(a^2) / Q(a^2) to 1, and 1 - exp(-a^2) P(a) / Q(a) above: erf is the easier one, as the
 * relative error of erfc counts little there. From 6 on, erf is 1. */
OPMILL_INLINE double opmill_erf_double(double x) {
    const double magnitude = opmill_magnitude(x);
    const double a = magnitude > 6 ? 6 : magnitude;
    const double square = a * a;
    const int near = a < 1;
    const double z = near ? square : a;
    const double quotient =
        opmill_poly_erf_above_long(z, near) / opmill_poly_erf_below_long(z, near);
    const double factor = near ? a : -opmill_exp_usual_double(-square);
    return opmill_with_sign((near ? a : 1) + factor * quotient, x);
}

OPMILL_INLINE double opmill_erfc_double(double x) {
    const double a = opmill_magnitude(x);
    const opmill_pair bounded = {opmill_clamp(a, 0.75, 28), 0};
    const opmill_scaled scaled =
        opmill_erfc_scaled(bounded, opmill_product(bounded.high, bounded.high));
    const double c = opmill_scale(scaled.m.high, scaled.k);
    const opmill_pair less = opmill_sum_ordered(1, -x);
    const double small = less.high + (less.low - x * opmill_poly_erf_long(x * x));
    return a < 0.75 ? small : x < 0 ? 2 - c : c;
}

/* The same for results in float; erf is in error_function.c. */

/* erfc(a) exp(square - a^2) for a from 3/4. */
OPMILL_INLINE double opmill_erfc_large_float(double a, double square) {
    const double g = opmill_poly_erfcx_short((a - 4) / (a + 4));
    return opmill_exp_short(-square) * g / (1 + 2 * a);
}

/* erfc(x) with the square of x, which may be known better than x. */
OPMILL_INLINE double opmill_erfc_of_square_float(double x, double square) {
    const double a = opmill_magnitude(x);
    const double c = opmill_erfc_large_float(opmill_clamp(a, 0.75, 28), square);
    const double small = 1 - (x + x * opmill_poly_erf_short(square));
    return a < 0.75 ? small : x < 0 ? 2 - c : c;
}

OPMILL_INLINE double opmill_erfc_float(double x) { return opmill_erfc_of_square_float(x, x * x); }

#endif
