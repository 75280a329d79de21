/* The movers of this build, one for each instruction set that has its own. */
#ifndef OPMILL_COPY_MOVERS_H
#define OPMILL_COPY_MOVERS_H

#include "runtime/copy/copy_program.h"
#include "runtime/platform/platform.h"

extern const opmill_mover opmill_mover_plain;
#if OPMILL_X86_64
extern const opmill_mover opmill_mover_sse2;
extern const opmill_mover opmill_mover_avx2;
extern const opmill_mover opmill_mover_avx512;
#endif
#if OPMILL_NEON
extern const opmill_mover opmill_mover_neon;
#endif

#endif
