/* The loops of random numbers over runs of elements, for each instruction set. */
#ifndef OPMILL_FAMILY_RANDOM_NUMBERS_H
#define OPMILL_FAMILY_RANDOM_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

typedef struct random_numbers {
    uint64_t key;
    double offset;
    double factor;
    double last; /* no number is larger */
} random_numbers;

/* Computes `count` elements, at most OPMILL_RANDOM_RUN, the first of which is number `at` of the
 * tensor, a multiple of OPMILL_RANDOM_RUN. */
typedef void random_loop(const random_numbers *numbers, int64_t at, int32_t count, void *to);

random_loop *opmill_random_loop_baseline(int32_t type, bool is_normal);
random_loop *opmill_random_loop_avx2(int32_t type, bool is_normal);
random_loop *opmill_random_loop_avx512(int32_t type, bool is_normal);

#endif
