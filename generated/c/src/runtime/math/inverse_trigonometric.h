/* asin, acos and atan. */
#ifndef OPMILL_MATH_INVERSE_TRIGONOMETRIC_H
#define OPMILL_MATH_INVERSE_TRIGONOMETRIC_H

#include "runtime/math/arithmetic.h"
#include "runtime/math/constants.h"
#include "runtime/math/polynomials.h"

/* asin(s) is a polynomial for s to 1/2. For a above, asin(a) = pi / 2 - 2 asin(s) with
 * s = sqrt((1 - a) / 2). */
typedef struct opmill_arc {
    opmill_pair s;
    double z;  /* s^2 */
    int large; /* a is above 1/2 */
} opmill_arc;

OPMILL_INLINE opmill_arc opmill_arc_reduced(double a) {
    const opmill_pair z = {0.5 * (1 - a), 0};
    const opmill_pair root = opmill_root(z);
    opmill_arc arc;
    arc.large = a > 0.5;
    arc.s.high = arc.large ? root.high : a;
    arc.s.low = arc.large ? root.low : 0;
    arc.z = arc.large ? z.high : a * a;
    return arc;
}

OPMILL_INLINE double opmill_asin_double(double x) {
    const double a = opmill_magnitude(x);
    const opmill_arc arc = opmill_arc_reduced(a);
    const double tail = arc.s.low + arc.s.high * arc.z * opmill_poly_asin_long(arc.z);
    const opmill_pair half_pi = opmill_sum_ordered(OPMILL_HALF_PI_HIGH, -2 * arc.s.high);
    const double large = half_pi.high + (half_pi.low + (OPMILL_HALF_PI_LOW - 2 * tail));
    const double y = arc.large ? large : arc.s.high + tail;
    return a < 0x1p-28 ? x : a > 1 ? NAN : opmill_with_sign(y, x);
}

/* acos(x) = pi / 2 - asin(x); above 1/2, 2 asin(s); below -1/2, pi - 2 asin(s). */
OPMILL_INLINE double opmill_acos_double(double x) {
    const double a = opmill_magnitude(x);
    const opmill_arc arc = opmill_arc_reduced(a);
    const double tail = arc.s.low + arc.s.high * arc.z * opmill_poly_asin_long(arc.z);
    const double factor = arc.large ? (x < 0 ? -2 : 2) : (x < 0 ? 1 : -1);
    const double base = arc.large ? (x < 0 ? 2 : 0) : 1;
    const opmill_pair sum = opmill_sum(base * OPMILL_HALF_PI_HIGH, factor * arc.s.high);
    const double y = sum.high + (sum.low + (base * OPMILL_HALF_PI_LOW + factor * tail));
    return a > 1 ? NAN : y;
}

/* atan(a) = base + atan(t), with t = a to 35/64, (a - 1) / (a + 1) to 15/8, or -1 / a: results with
 * a base are above 1/2, where the rounding of t counts little. */
OPMILL_INLINE double opmill_atan_double(double x) {
    const double a = opmill_magnitude(x);
    const int middle = a > 0.546875;
    const int large = a > 1.875;
    const double quarters = large ? 2 : middle ? 1 : 0;
    const double above = large ? -1 : middle ? a - 1 : a;
    const double below = large ? a : middle ? a + 1 : 1;
    const double t = above / below;
    const double z = t * t;
    const double atan_t = t + t * z * opmill_poly_atan_long(z);
    const double low = quarters * (0.5 * OPMILL_HALF_PI_LOW) + atan_t;
    return opmill_with_sign(quarters * (0.5 * OPMILL_HALF_PI_HIGH) + low, x);
}

/* The same for results in float. */

OPMILL_INLINE double opmill_asin_float(double x) {
    const double a = opmill_magnitude(x);
    const int large = a > 0.5;
    const double z = large ? 0.5 * (1 - a) : a * a;
    const double s = large ? sqrt(z) : a;
    const double asin_s = s + s * z * opmill_poly_asin_short(z);
    return opmill_with_sign(large ? OPMILL_HALF_PI_HIGH - 2 * asin_s : asin_s, x);
}

OPMILL_INLINE double opmill_acos_float(double x) {
    const double a = opmill_magnitude(x);
    const int large = a > 0.5;
    const double z = large ? 0.5 * (1 - a) : a * a;
    const double s = large ? sqrt(z) : a;
    const double asin_s = s + s * z * opmill_poly_asin_short(z);
    const double signed_s = x < 0 ? -asin_s : asin_s;
    const double near_zero = OPMILL_HALF_PI_HIGH - signed_s;
    const double near_one = 2 * signed_s + (x < 0 ? 2 * OPMILL_HALF_PI_HIGH : 0);
    return a > 1 ? NAN : large ? near_one : near_zero;
}

OPMILL_INLINE double opmill_atan_float(double x) {
    const double a = opmill_magnitude(x);
    const int middle = a > OPMILL_TAN_PI_8;
    const int large = a > OPMILL_TAN_3_PI_8;
    const double above = large ? -1 : middle ? a - 1 : a;
    const double below = large ? a : middle ? a + 1 : 1;
    const double t = above / below;
    const double z = t * t;
    const double base = large ? OPMILL_HALF_PI_HIGH : middle ? 0.5 * OPMILL_HALF_PI_HIGH : 0;
    return opmill_with_sign(base + (t + t * z * opmill_poly_atan_short(z)), x);
}

#endif
