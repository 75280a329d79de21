/* Normalisation of all rows of a tensor: the elements along an axis and all axes after it. */
#ifndef OPMILL_MOMENTS_ROWS_H
#define OPMILL_MOMENTS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

typedef struct opmill_rows_call {
    const opmill_tensor *x;
    const opmill_tensor *scale; /* broadcasts to x */
    const opmill_tensor *bias;  /* the same, or NULL */
    const opmill_tensor *y;
    const opmill_tensor *mean;      /* or NULL */
    const opmill_tensor *deviation; /* its reciprocal, or NULL */
    int64_t begin;                  /* the first axis of a row */
    double epsilon;
    int32_t stash; /* the type that the elements of x are rounded to */
    bool centered; /* whether the mean is subtracted */
} opmill_rows_call;

void opmill_rows_normalize(const opmill_rows_call *call, const opmill_context *context);

#endif
