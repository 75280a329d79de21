/* The loops of Bernoulli over runs of elements, for each instruction set. */
#ifndef OPMILL_BERNOULLI_CHANCES_H
#define OPMILL_BERNOULLI_CHANCES_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

typedef struct bernoulli_chances {
    uint64_t key;
    const unsigned char *from; /* the first element */
    unsigned char *to;
    int32_t from_type, from_bytes, to_bytes;
    uint64_t one; /* its pattern in the output's type */
} bernoulli_chances;

/* Computes `count` elements, at most OPMILL_RANDOM_RUN, from number `at` on, a multiple of it. */
typedef void bernoulli_loop(const bernoulli_chances *chances, int64_t at, int32_t count);

/* True if as many elements are probabilities. */
typedef bool bernoulli_check(const bernoulli_chances *chances, int64_t at, int32_t count);

typedef struct bernoulli_loops {
    bernoulli_loop *compute;
    bernoulli_check *check;
} bernoulli_loops;

bernoulli_loops opmill_bernoulli_loops(int32_t isa);

#endif
