/* Writes floats with six decimals, by integers alone. */
#include "fixed.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LIMBS = 4, FRACTION_BITS = 23, DECIMALS = 1000000 };

/* Divides an integer of 128 bits, the lowest limb first; returns the remainder. */
static uint32_t divide(uint32_t *limbs, uint32_t divisor) {
    uint64_t rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        const uint64_t part = rest << 32 | limbs[i];
        limbs[i] = (uint32_t)(part / divisor);
        rest = part % divisor;
    }
    return (uint32_t)rest;
}

static bool is_zero(const uint32_t *limbs) {
    return (limbs[0] | limbs[1] | limbs[2] | limbs[3]) == 0;
}

/* significand * 10^6 / 2^shift, rounded. */
static uint64_t scaled(uint32_t significand, int32_t shift) {
    const uint64_t product = (uint64_t)significand * DECIMALS; /* below 2^44 */
    if (shift > 44) {
        return 0;
    }
    const uint64_t whole = product >> shift, rest = product - (whole << shift);
    const uint64_t half = UINT64_C(1) << shift >> 1;
    return whole + (rest > half || (rest == half && half > 0 && whole % 2 == 1));
}

static char *write_word(const char *word, char *to) {
    const size_t size = strlen(word) + 1;
    memcpy(to, word, size);
    return to + size;
}

char *opmill_cast_map_write_fixed(float value, char *to) {
    uint32_t bits, limbs[LIMBS] = {0};
    char digits[OPMILL_CAST_MAP_MAX_FIXED];
    uint32_t decimals = 0;
    int32_t count = 0;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value)) {
        return write_word("nan", to);
    }
    if (isinf(value)) {
        return write_word(value < 0 ? "-inf" : "inf", to);
    }
    const int32_t biased = (int32_t)(bits >> FRACTION_BITS & 0xFF);
    const uint32_t fraction = bits & ((UINT32_C(1) << FRACTION_BITS) - 1);
    const uint32_t significand = biased > 0 ? fraction | UINT32_C(1) << FRACTION_BITS : fraction;
    const int32_t exponent = (biased > 0 ? biased : 1) - 127 - FRACTION_BITS;
    if (exponent >= 0) {
        const uint64_t shifted = (uint64_t)significand << exponent % 32;
        limbs[exponent / 32] = (uint32_t)shifted;
        if (exponent / 32 + 1 < LIMBS) {
            limbs[exponent / 32 + 1] = (uint32_t)(shifted >> 32);
        }
    } else {
        const uint64_t number = scaled(significand, -exponent);
        decimals = (uint32_t)(number % DECIMALS);
        limbs[0] = (uint32_t)(number / DECIMALS);
        limbs[1] = (uint32_t)(number / DECIMALS >> 32);
    }
    do {
        digits[count++] = (char)('0' + divide(limbs, 10));
    } while (!is_zero(limbs));
    if (bits >> 31 != 0) {
        *to++ = '-';
    }
    while (count > 0) {
        *to++ = digits[--count];
    }
    *to++ = '.';
    for (uint32_t place = DECIMALS / 10; place > 0; place /= 10) {
        *to++ = (char)('0' + decimals / place % 10);
    }
    *to++ = '\0';
    return to;
}

float opmill_cast_map_narrowed(double value) {
    return fabs(value) >= 0x1.ffffffp127 && !isnan(value)
               ? copysignf(INFINITY, (float)(value > 0 ? 1 : -1))
               : (float)value;
}
