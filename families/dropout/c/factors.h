/* The loops of Dropout over runs of elements, for each instruction set. */
#ifndef OPMILL_DROPOUT_FACTORS_H
#define OPMILL_DROPOUT_FACTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"
#include "runtime/numbers/philox.h"

enum { DROPOUT_RUN = OPMILL_PHILOX_WORDS }; /* elements that are computed together */

typedef struct dropout_factors {
    uint64_t seed;
    uint32_t limit; /* words up to it drop an element */
    double scale;   /* of the elements that are kept */
    int32_t mask_type;
    uint8_t (*table)[256]; /* of a type of 8 bits the products, dropped and kept */
} dropout_factors;

/* Computes `count` elements, at most DROPOUT_RUN, the first of which is number `at` of the tensor,
 * a multiple of DROPOUT_RUN. There may be no mask. */
typedef void dropout_loop(const dropout_factors *factors, int64_t at, int32_t count,
                          const void *from, void *to, void *mask);

dropout_loop *opmill_dropout_loop_baseline(int32_t type);
dropout_loop *opmill_dropout_loop_avx2(int32_t type);
dropout_loop *opmill_dropout_loop_avx512(int32_t type);

/* Stores 1 or 0 as element `i` of a mask. */
void opmill_dropout_put(void *mask, int32_t type, int64_t i, bool is_kept);

#endif
