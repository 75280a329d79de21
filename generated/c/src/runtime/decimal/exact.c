/* Big integers of 32-bit limbs: multiplication by small factors and powers of ten, shifts, and the
 * leading bits with a flag for those that are cut off. */
#include "runtime/decimal/exact.h"

#include <string.h>

enum { LIMB_BITS = 32, TEN_POWER = 9 };

static const uint32_t TEN[TEN_POWER + 1] = {1,      10,      100,      1000,      10000,
                                            100000, 1000000, 10000000, 100000000, 1000000000};

void opmill_exact_set(opmill_exact *number, uint64_t value) {
    number->count = 0;
    for (; value != 0; value >>= LIMB_BITS) {
        number->limbs[number->count++] = (uint32_t)value;
    }
}

void opmill_exact_multiply(opmill_exact *number, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (int32_t i = 0; i < number->count; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
    if (carry != 0 && number->count < OPMILL_EXACT_LIMBS) {
        number->limbs[number->count++] = (uint32_t)carry;
    }
}

/* Returns the remainder. */
static uint32_t divide(opmill_exact *number, uint32_t divisor) {
    uint64_t rest = 0;
    for (int32_t i = number->count - 1; i >= 0; i--) {
        rest = rest << LIMB_BITS | number->limbs[i];
        number->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (number->count > 0 && number->limbs[number->count - 1] == 0) {
        number->count--;
    }
    return (uint32_t)rest;
}

static void shift_left(opmill_exact *number, int32_t bits) {
    const int32_t limbs = bits / LIMB_BITS;
    opmill_exact_multiply(number, UINT32_C(1) << bits % LIMB_BITS, 0);
    if (number->count == 0 || number->count + limbs > OPMILL_EXACT_LIMBS) {
        return;
    }
    memmove(number->limbs + limbs, number->limbs, (size_t)number->count * sizeof *number->limbs);
    memset(number->limbs, 0, (size_t)limbs * sizeof *number->limbs);
    number->count += limbs;
}

static uint64_t limb_at(const opmill_exact *number, int32_t i) {
    return i < number->count ? number->limbs[i] : 0;
}

/* The 64 bits from one on; `is_cut` becomes true where bits before it are set. */
static uint64_t bits_from(const opmill_exact *number, int32_t first, bool *is_cut) {
    const int32_t limb = first / LIMB_BITS, bit = first % LIMB_BITS;
    for (int32_t i = 0; i < limb; i++) {
        *is_cut = *is_cut || limb_at(number, i) != 0;
    }
    const uint64_t lowest = limb_at(number, limb);
    const uint64_t above = limb_at(number, limb + 1) | limb_at(number, limb + 2) << LIMB_BITS;
    *is_cut = *is_cut || (lowest & ((UINT64_C(1) << bit) - 1)) != 0;
    return lowest >> bit | above << (LIMB_BITS - bit);
}

uint64_t opmill_exact_scaled(opmill_exact *number, int32_t power, int32_t shift, bool *is_cut) {
    *is_cut = false;
    for (int32_t left = power; left > 0; left -= TEN_POWER) {
        opmill_exact_multiply(number, TEN[left < TEN_POWER ? left : TEN_POWER], 0);
    }
    if (shift > 0) {
        shift_left(number, shift);
    }
    for (int32_t left = -power; left > 0; left -= TEN_POWER) {
        const uint32_t divisor = TEN[left < TEN_POWER ? left : TEN_POWER];
        *is_cut = divide(number, divisor) != 0 || *is_cut;
    }
    return bits_from(number, shift < 0 ? -shift : 0, is_cut);
}
