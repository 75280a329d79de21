/* Exact products of an integer with powers of ten and two: slow, for the few numbers of which 128
 * bits of a power of ten do not decide. */
#ifndef OPMILL_DECIMAL_EXACT_H
#define OPMILL_DECIMAL_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* 10^769 * 2^64 / 10^1113 and all before need fewer bits. */
enum { OPMILL_EXACT_LIMBS = 128 };

/* A natural number in base 2^32, the lowest limb first. */
typedef struct opmill_exact {
    int32_t count;
    uint32_t limbs[OPMILL_EXACT_LIMBS];
} opmill_exact;

void opmill_exact_set(opmill_exact *number, uint64_t value);

/* number = number * factor + addend */
void opmill_exact_multiply(opmill_exact *number, uint32_t factor, uint32_t addend);

/* floor(number * 10^power * 2^shift), which has at most 64 bits, and whether that is less than the
 * product. The number is used up. */
uint64_t opmill_exact_scaled(opmill_exact *number, int32_t power, int32_t shift, bool *is_cut);

#endif
