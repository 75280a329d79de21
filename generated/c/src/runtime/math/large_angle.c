/* The reduction of large arguments of sin, cos and tan, in integers.
 *
 * |x| = M 2^e with an integer M. Of the bits of 2 / pi, those that multiply M 2^e to a multiple of
 * 4 do not matter; the next 192 give the quadrant and 190 bits of its fraction, of which M makes
 * the last 53 uncertain. No double is closer to a multiple of pi / 2 than about 2^-62 of a
 * quadrant, so that 70 bits of the fraction are right in the worst case. */
#include "runtime/math/trigonometric.h"

/* Bits of 2 / pi from the place `first` on, 64 of them; place 0 is the first after the point, and
 * there are 64 zeros before it. */
static uint64_t bits_from(int first) {
    const int position = first + 64;
    const uint32_t *word = opmill_two_over_pi + position / 32;
    const int shift = position % 32;
    const uint64_t two = (uint64_t)word[0] << 32 | word[1];
    return shift == 0 ? two : two << shift | word[2] >> (32 - shift);
}

/* The high and the low word of a product. */
static uint64_t product_high(uint64_t a, uint64_t b) {
    const uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    const uint64_t other = a0 * b1 + (middle & 0xffffffffu);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* The leading 53 bits of a 64-bit fraction as a double, and what they leave. */
static double take(uint64_t *fraction) {
    const uint64_t head = *fraction >> 11;
    *fraction &= 0x7ff;
    return (double)(int64_t)head * 0x1p-53;
}

opmill_angle opmill_angle_large(double x) {
    const uint64_t bits = opmill_bits(x);
    const uint64_t m = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
    const int e = (int)(bits >> 52 & 0x7ff) - 1075;
    /* The product modulo 4 in units of 4 2^-192, the highest word first. */
    const uint64_t w0 = bits_from(e - 2), w1 = bits_from(e + 62), w2 = bits_from(e + 126);
    uint64_t low = m * w2;
    uint64_t middle = m * w1 + product_high(m, w2);
    uint64_t high = m * w0 + product_high(m, w1) + (middle < m * w1);
    uint64_t quadrant = high >> 62;
    uint64_t negative;
    opmill_pair fraction;
    const opmill_pair half_pi = {OPMILL_HALF_PI_HIGH, OPMILL_HALF_PI_LOW};
    opmill_angle angle;
    int shift = 0;
    high = high << 2 | middle >> 62;
    middle = middle << 2 | low >> 62;
    low <<= 2;
    /* To the nearest quadrant. */
    negative = high >> 63;
    if (negative) {
        quadrant++;
        low = ~low;
        middle = ~middle;
        high = ~high;
    }
    while (high < UINT64_C(1) << 63 && shift < 100) {
        high = high << 1 | middle >> 63;
        middle = middle << 1 | low >> 63;
        low <<= 1;
        shift++;
    }
    fraction.high = take(&high);
    high = high << 53 | middle >> 11;
    fraction.low = take(&high) * 0x1p-53;
    fraction.high *= opmill_power_of_two(-shift);
    fraction.low *= opmill_power_of_two(-shift);
    angle.r = opmill_product_of_pairs(fraction, half_pi);
    if (negative) {
        angle.r.high = -angle.r.high;
        angle.r.low = -angle.r.low;
    }
    angle.quadrant = quadrant;
    if (bits >> 63) { /* odd in x */
        angle.r.high = -angle.r.high;
        angle.r.low = -angle.r.low;
        angle.quadrant = 0 - quadrant;
    }
    return angle;
}
