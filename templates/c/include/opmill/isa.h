/* The instruction sets of this build and of the processor that it runs on. */
#ifndef OPMILL_PUBLIC_ISA_H
#define OPMILL_PUBLIC_ISA_H

#include <stdbool.h>

#include "opmill/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True where this build has code for a level of enum opmill_isa and the processor and its system
 * can run it; of OPMILL_ISA_AUTO, which is no level, false. */
bool opmill_isa_available(int32_t isa);

/* The level that a context with OPMILL_ISA_AUTO uses. */
int32_t opmill_isa_best(void);

/* "plain", "baseline", "avx2", "avx512" or "neon"; NULL for what is no level. */
const char *opmill_isa_name(int32_t isa);

#ifdef __cplusplus
}
#endif

#endif
