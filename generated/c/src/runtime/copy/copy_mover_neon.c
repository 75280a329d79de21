/* Moves of 16 bytes, from a window of 16. */
#include "runtime/copy/copy_movers.h"

#if OPMILL_NEON

#include <arm_neon.h>
#include <string.h>

#define MOVER_WIDTH 16
typedef uint8x16_t mover_vector;

OPMILL_INLINE uint8x16_t mover_load(const uint8_t *from) { return vld1q_u8(from); }

OPMILL_INLINE void mover_store(uint8_t *to, uint8x16_t value) { vst1q_u8(to, value); }

OPMILL_INLINE uint8x16_t mover_shuffle(const uint8_t *in, const opmill_move *move,
                                       const uint8_t *shuffles) {
    return vqtbl1q_u8(mover_load(in + move->from[0]), mover_load(shuffles));
}

#include "runtime/copy/copy_mover_isa.h"

const opmill_mover opmill_mover_neon = {OPMILL_ISA_NEON, 16, 1, run, rows, MOVER_WIDTH, NULL, NULL};

#endif
