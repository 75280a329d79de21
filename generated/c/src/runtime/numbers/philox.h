/* Random words without a state: Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy
 * as 1, 2, 3" (2011). Block b of a seed has four words, which depend on both alone: the key is the
 * seed, its low half first; the counter is b, its low half first, then two zeros. Word number w of
 * a seed is word w % 4 of block w / 4. */
#ifndef OPMILL_PHILOX_H
#define OPMILL_PHILOX_H

#include <stdint.h>

#include "runtime/platform/platform.h"

enum {
    OPMILL_PHILOX_LANES = 4,                        /* words of a block */
    OPMILL_PHILOX_GROUP = 16,                       /* blocks that are computed together */
    OPMILL_PHILOX_WORDS = OPMILL_ON_STACK(256, 64), /* that are generated at a time */
    OPMILL_PHILOX_ROUNDS = 10
};

/* The words of OPMILL_PHILOX_WORDS / 4 blocks, from block `first` on. Inlined, the loop is built
 * for the instruction set of its caller. */
OPMILL_INLINE void opmill_philox_words(uint64_t seed, uint64_t first, uint32_t *restrict words) {
    enum { GROUP = OPMILL_PHILOX_GROUP };
    for (int begin = 0; begin < OPMILL_PHILOX_WORDS; begin += OPMILL_PHILOX_LANES * GROUP) {
        uint32_t a[GROUP], b[GROUP], c[GROUP] = {0}, d[GROUP] = {0};
        uint32_t low = (uint32_t)seed, high = (uint32_t)(seed >> 32);
        for (int i = 0; i < GROUP; i++) {
            const uint64_t block = first + (uint64_t)(begin / OPMILL_PHILOX_LANES + i);
            a[i] = (uint32_t)block;
            b[i] = (uint32_t)(block >> 32);
        }
        for (int round = 0; round < OPMILL_PHILOX_ROUNDS; round++) {
            for (int i = 0; i < GROUP; i++) {
                const uint64_t p = (uint64_t)a[i] * UINT32_C(0xd2511f53);
                const uint64_t q = (uint64_t)c[i] * UINT32_C(0xcd9e8d57);
                a[i] = (uint32_t)(q >> 32) ^ b[i] ^ low;
                b[i] = (uint32_t)q;
                c[i] = (uint32_t)(p >> 32) ^ d[i] ^ high;
                d[i] = (uint32_t)p;
            }
            low += UINT32_C(0x9e3779b9);
            high += UINT32_C(0xbb67ae85);
        }
        for (int i = 0; i < GROUP; i++) {
            words[begin + 4 * i] = a[i];
            words[begin + 4 * i + 1] = b[i];
            words[begin + 4 * i + 2] = c[i];
            words[begin + 4 * i + 3] = d[i];
        }
    }
}

#endif
