/* sin, cos and tan.
 *
 * x = n pi / 2 + r with |r| <= pi / 4. Up to 2^20, pi / 2 in parts whose products with n are exact
 * gives r: in three parts up to 2^16, in four beyond. Above 2^20, the bits of 2 / pi that matter do
 * (large_angle.c). For results in float, the reduction of sin and cos is in float up to 2048. */
#ifndef OPMILL_MATH_TRIGONOMETRIC_H
#define OPMILL_MATH_TRIGONOMETRIC_H

#include "runtime/math/arithmetic.h"
#include "runtime/math/constants.h"
#include "runtime/math/polynomials.h"

/* r, and n in the low two bits of the quadrant. */
typedef struct opmill_angle {
    opmill_pair r;
    uint64_t quadrant;
} opmill_angle;

#define OPMILL_USUAL_ANGLE 0x1p16
#define OPMILL_LARGE_ANGLE 0x1p20

/* The angle of a finite x above OPMILL_LARGE_ANGLE in magnitude. */
opmill_angle opmill_angle_large(double x);

/* The angle of x to OPMILL_USUAL_ANGLE in magnitude. The first two products are exact; r.low may be
 * more than half a unit of a small r.high, but is small beside it. */
OPMILL_INLINE opmill_angle opmill_angle_usual_double(double x) {
    const double shifted = x * OPMILL_TWO_OVER_PI + OPMILL_ROUNDER;
    const double n = shifted - OPMILL_ROUNDER;
    const opmill_pair sum =
        opmill_sum_ordered(x - n * OPMILL_HALF_PI_FIRST, -(n * OPMILL_HALF_PI_SECOND));
    opmill_angle angle;
    angle.r.high = sum.high;
    angle.r.low = sum.low - n * OPMILL_HALF_PI_THIRD;
    angle.quadrant = opmill_bits(shifted);
    return angle;
}

/* The same to OPMILL_LARGE_ANGLE. */
OPMILL_INLINE opmill_angle opmill_angle_double(double x) {
    const double shifted = x * OPMILL_TWO_OVER_PI + OPMILL_ROUNDER;
    const double n = shifted - OPMILL_ROUNDER;
    const opmill_pair first = opmill_sum(x - n * OPMILL_HALF_PI_1, -(n * OPMILL_HALF_PI_2));
    const opmill_pair second = opmill_sum(first.high, -(n * OPMILL_HALF_PI_3));
    opmill_angle angle;
    angle.r = opmill_sum_ordered(second.high, first.low + (second.low - n * OPMILL_HALF_PI_4));
    angle.quadrant = opmill_bits(shifted);
    return angle;
}

/* The same with r in one double, for results in float: no float below 2^20 is so close to a
 * multiple of pi / 2 that fewer than 30 bits of r were right. */
OPMILL_INLINE opmill_angle opmill_angle_float(double x) {
    const double shifted = x * OPMILL_TWO_OVER_PI + OPMILL_ROUNDER;
    const double n = shifted - OPMILL_ROUNDER;
    opmill_angle angle;
    angle.r.high = (x - n * OPMILL_HALF_PI_1) - n * OPMILL_HALF_PI_REST;
    angle.r.low = 0;
    angle.quadrant = opmill_bits(shifted);
    return angle;
}

/* sin(r) and cos(r) of a reduced angle. */
OPMILL_INLINE opmill_pair opmill_sin_reduced(opmill_pair r) {
    const double z = r.high * r.high;
    return opmill_sum_ordered(r.high, r.high * z * opmill_poly_sin_long(z) + r.low * (1 - 0.5 * z));
}

OPMILL_INLINE opmill_pair opmill_cos_reduced(opmill_pair r) {
    const double z = r.high * r.high;
    const opmill_pair first = opmill_sum_ordered(1, -0.5 * z);
    return opmill_sum_ordered(first.high,
                              first.low + (z * z * opmill_poly_cos_long(z) - r.high * r.low));
}

/* sin(r), -sin(r), cos(r) or -cos(r), by the quadrant. */
OPMILL_INLINE double opmill_sin_or_cos_double(opmill_pair r, uint64_t quadrant) {
    const int is_cos = (quadrant & 1) != 0;
    const double z = r.high * r.high;
    const double half = 0.5 * z;
    const double first = 1 - half;
    const double rest = is_cos ? ((1 - first) - half) - r.high * r.low : r.low * first;
    const double series = (is_cos ? z : r.high) * z * opmill_poly_sin_or_cos_long(z, is_cos);
    const double y = (is_cos ? first : r.high) + (series + rest);
    return opmill_double(opmill_bits(y) ^ (quadrant & 2) << 62);
}

OPMILL_INLINE double opmill_sin_of_angle_double(double x, opmill_angle angle) {
    const double y = opmill_sin_or_cos_double(angle.r, angle.quadrant);
    return opmill_magnitude(x) < 0x1p-28 ? x : y;
}

OPMILL_INLINE double opmill_cos_of_angle_double(double x, opmill_angle angle) {
    (void)x;
    return opmill_sin_or_cos_double(angle.r, angle.quadrant + 1);
}

/* tan(r), or -1 / tan(r) in odd quadrants. */
OPMILL_INLINE double opmill_tan_of_angle_double(double x, opmill_angle angle) {
    const opmill_pair sin_r = opmill_sin_reduced(angle.r);
    const opmill_pair cos_r = opmill_cos_reduced(angle.r);
    const int odd = (angle.quadrant & 1) != 0;
    opmill_pair above, below;
    double y;
    above.high = odd ? -cos_r.high : sin_r.high;
    above.low = odd ? -cos_r.low : sin_r.low;
    below.high = odd ? sin_r.high : cos_r.high;
    below.low = odd ? sin_r.low : cos_r.low;
    y = opmill_quotient(above, below).high;
    return opmill_magnitude(x) < 0x1p-28 ? x : y;
}

/* Float is enough once r is reduced, if what r loses is not lost: sin(r) or cos(r), with the sign,
 * by the quadrant. */
OPMILL_INLINE float opmill_sin_or_cos_float(float r, float low, uint32_t quadrant) {
    const float z = r * r;
    const float sin_r = r + (r * z * opmill_poly_sin_float(z) + low);
    const float first = 1 - 0.5f * z;
    const float rest = (1 - first) - 0.5f * z;
    const float cos_r = first + (rest + (z * z * opmill_poly_cos_float(z) - r * low));
    const float y = (quadrant & 1) != 0 ? cos_r : sin_r;
    return opmill_float_of_bits(opmill_float_bits(y) ^ (quadrant & 2) << 30);
}

OPMILL_INLINE float opmill_sin_of_parts_float(float x, float r, float low, uint32_t quadrant) {
    const float y = opmill_sin_or_cos_float(r, low, quadrant);
    return x == 0 ? x : y;
}

OPMILL_INLINE float opmill_cos_of_parts_float(float x, float r, float low, uint32_t quadrant) {
    (void)x;
    return opmill_sin_or_cos_float(r, low, quadrant + 1);
}

OPMILL_INLINE float opmill_sin_of_angle_float(float x, opmill_angle angle) {
    const float r = (float)angle.r.high;
    const float low = (float)(angle.r.high - (double)r);
    return opmill_sin_of_parts_float(x, r, low, (uint32_t)angle.quadrant);
}

OPMILL_INLINE float opmill_cos_of_angle_float(float x, opmill_angle angle) {
    const float r = (float)angle.r.high;
    const float low = (float)(angle.r.high - (double)r);
    return opmill_cos_of_parts_float(x, r, low, (uint32_t)angle.quadrant);
}

/* The reduction of an angle to 2048 in float: the first two differences are exact, and the rounding
 * of the third one is not lost. */
typedef struct opmill_angle_parts {
    float r;
    float low;
    uint32_t quadrant;
} opmill_angle_parts;

OPMILL_INLINE opmill_angle_parts opmill_angle_in_float(float x) {
    const float shifted = x * OPMILL_TWO_OVER_PI_FLOAT + OPMILL_ROUNDER_FLOAT;
    const float n = shifted - OPMILL_ROUNDER_FLOAT;
    const float exact = (x - n * OPMILL_HALF_PI_1_FLOAT) - n * OPMILL_HALF_PI_2_FLOAT;
    const float third = n * OPMILL_HALF_PI_3_FLOAT;
    opmill_angle_parts angle;
    angle.r = exact - third;
    angle.low = ((exact - angle.r) - third) - n * OPMILL_HALF_PI_4_FLOAT;
    angle.quadrant = opmill_float_bits(shifted);
    return angle;
}

/* tan(r) = t. Float is enough for the polynomial. */
OPMILL_INLINE float opmill_tan_factor_float(float r) { return opmill_poly_tan_float(r * r); }

OPMILL_INLINE double opmill_tan_reduced_float(double r, float factor) {
    return r + r * (r * r) * (double)factor;
}

/* 1 / t from an approximation in float. */
OPMILL_INLINE float opmill_reciprocal_float(double t, float about) {
    const double wide = (double)about;
    return (float)(wide * (2 - t * wide));
}

OPMILL_INLINE float opmill_tan_of_angle_float(float x, opmill_angle angle) {
    const double r = angle.r.high;
    const double t = opmill_tan_reduced_float(r, opmill_tan_factor_float((float)r));
    const float odd = -opmill_reciprocal_float(t, 1 / (float)t);
    const float y = ((uint32_t)angle.quadrant & 1) != 0 ? odd : (float)t;
    return x == 0 ? x : y;
}

/* Right up to OPMILL_USUAL_ANGLE for results in double, and to OPMILL_LARGE_ANGLE in float. */

OPMILL_INLINE double opmill_sin_double(double x) {
    return opmill_sin_of_angle_double(x, opmill_angle_usual_double(x));
}

OPMILL_INLINE double opmill_cos_double(double x) {
    return opmill_cos_of_angle_double(x, opmill_angle_usual_double(x));
}

OPMILL_INLINE double opmill_tan_double(double x) {
    return opmill_tan_of_angle_double(x, opmill_angle_usual_double(x));
}

OPMILL_INLINE float opmill_sin_float(double x) {
    return opmill_sin_of_angle_float((float)x, opmill_angle_float(x));
}

OPMILL_INLINE float opmill_cos_float(double x) {
    return opmill_cos_of_angle_float((float)x, opmill_angle_float(x));
}

OPMILL_INLINE float opmill_tan_float(double x) {
    return opmill_tan_of_angle_float((float)x, opmill_angle_float(x));
}

#endif
