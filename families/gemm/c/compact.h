/* Gemm in little code and memory, for microcontrollers: no workspace, no copies. */
#ifndef OPMILL_GEMM_COMPACT_H
#define OPMILL_GEMM_COMPACT_H

#include "families/gemm/plan.h"

/* The result of opmill_gemm_compute, in the bits of OPMILL_ISA_PLAIN, of floats. */
int opmill_gemm_compact(const opmill_tensor *a, const opmill_tensor *b, const opmill_tensor *c,
                        opmill_tensor *y, const opmill_gemm_plan *plan, opmill_context *context);

#endif
