/* Which instruction set a call uses: what the processor and this build have, and the context's
 * request. */
#ifndef OPMILL_ISA_H
#define OPMILL_ISA_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/isa.h"

/* The level to use for the level that a context requests, never OPMILL_ISA_AUTO; -1 if unavailable
 * or no level at all. */
int32_t opmill_isa_select(int32_t wanted);

/* True for an x86-64 processor that moves single bytes across 64 (AVX-512 VBMI). */
bool opmill_isa_has_vbmi(void);

/* True for one that sums products of bytes, four at a time (AVX-512 VNNI). */
bool opmill_isa_has_vnni(void);

#endif
