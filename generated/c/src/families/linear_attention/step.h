/* A token of LinearAttention, for a block of columns of the state of one head. */
#ifndef OPMILL_LINEAR_ATTENTION_STEP_H
#define OPMILL_LINEAR_ATTENTION_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/platform/platform.h"

/* All numbers are float. The old and the new state may be the same memory. */
typedef struct opmill_linear_token {
    int64_t rows, columns;
    const float *from;          /* the old state */
    float *to;                  /* the new state */
    int64_t from_step, to_step; /* from a row to the next */
    const float *key;           /* a number for each row */
    const float *value;         /* a number for each column */
    const float *factors;       /* of the rows of the old state, or NULL */
    int64_t factors_step;       /* 0 for one of all rows */
    bool corrects; /* whether the value is corrected by what the key reads, and scaled by beta */
    float beta;
    int64_t queries; /* a vector of a number for each row, and one of results */
    const float *query;
    float *result;
    int64_t result_step; /* from a query's results to those of the next */
    float scale;
} opmill_linear_token;

typedef void opmill_linear_step(const opmill_linear_token *token);

opmill_linear_step opmill_linear_step_plain;
#if OPMILL_GNU
opmill_linear_step opmill_linear_step_baseline;
#endif
#if OPMILL_X86_64
opmill_linear_step opmill_linear_step_avx2;
opmill_linear_step opmill_linear_step_avx512;
#endif

#endif
