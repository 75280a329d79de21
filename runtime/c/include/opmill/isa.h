/* The instruction sets of this build and of the processor that it runs on. */
#ifndef OPMILL_PUBLIC_ISA_H
#define OPMILL_PUBLIC_ISA_H

#include <stdbool.h>

#include "opmill/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True if this build has code for an instruction set of enum opmill_isa, and the processor and its
 * operating system run it. False for OPMILL_ISA_AUTO, which is not an instruction set. */
bool opmill_isa_available(int32_t isa);

/* The instruction set that a context with OPMILL_ISA_AUTO uses, of enum opmill_isa. */
int32_t opmill_isa_best(void);

/* The name of an instruction set: "plain", "baseline", "avx2", "avx512" or "neon". NULL for any
 * other number. */
const char *opmill_isa_name(int32_t isa);

#ifdef __cplusplus
}
#endif

#endif
