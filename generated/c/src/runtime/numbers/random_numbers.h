/* Random numbers of the words of philox.h, for loops that are built for several instruction sets.
 *
 * Number i of 32 bits is made of word i of a seed, number i of 53 or 52 bits of words 2 i and
 * 2 i + 1. A run has OPMILL_RANDOM_RUN numbers, of which the first is a multiple of it. */
#ifndef OPMILL_RANDOM_NUMBERS_H
#define OPMILL_RANDOM_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/platform/platform.h"
#include "runtime/numbers/philox.h"

enum { OPMILL_RANDOM_RUN = OPMILL_PHILOX_WORDS };

/* The key of a seed that is a float: its 32 bits. */
static inline uint64_t opmill_random_key(double seed) {
    const float number = (float)seed;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* The two words of each number of a run. */
OPMILL_INLINE void opmill_random_pairs(uint64_t key, int64_t at, uint32_t *restrict words) {
    const uint64_t block = (uint64_t)at / (OPMILL_PHILOX_LANES / 2);
    opmill_philox_words(key, block, words);
    opmill_philox_words(key, block + OPMILL_PHILOX_WORDS / OPMILL_PHILOX_LANES,
                        words + OPMILL_PHILOX_WORDS);
}

/* Numbers from 0 to less than 1: multiples of 2^-32, or of 2^-53 if `wide`. */
OPMILL_INLINE void opmill_random_uniform(uint64_t key, int64_t at, bool wide, double *restrict u) {
    uint32_t words[2 * OPMILL_PHILOX_WORDS];
    if (!wide) {
        opmill_philox_words(key, (uint64_t)at / OPMILL_PHILOX_LANES, words);
        for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {
            u[i] = words[i] * 0x1p-32;
        }
        return;
    }
    opmill_random_pairs(key, at, words);
    for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {
        /* Both products and the sum are exact. */
        u[i] = words[2 * i] * 0x1p-32 + (words[2 * i + 1] >> 11) * 0x1p-53;
    }
}

#endif
