/* Gemm in little code and memory, for microcontrollers: no workspace, no copies. */
#ifndef OPMILL_GEMM_COMPACT_H
#define OPMILL_GEMM_COMPACT_H

#include <stdbool.h>

#include "opmill/types.h"

typedef struct opmill_gemm_compact_plan {
    int32_t rows, columns, terms;
    int32_t a_row, a_step, b_column, b_step, c_row, c_column; /* how far apart elements are */
    float alpha, beta;
    bool in_parts; /* whether sums have four parts */
} opmill_gemm_compact_plan;

/* The result of opmill_gemm_compute, in the bits of OPMILL_ISA_PLAIN, of floats. There may be no c
 * and no limits. */
void opmill_gemm_compact(const void *a, const void *b, const void *c, void *y,
                         const opmill_gemm_compact_plan *plan, const opmill_limits *limits);

#endif
