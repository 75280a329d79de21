/* Rotary position embedding of the heads of one token, for every operator that rotates. */
#ifndef OPMILL_ROTATION_H
#define OPMILL_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

typedef struct opmill_rotation {
    const void *cosine, *sine; /* tables with `pairs` numbers in a row */
    int32_t type;              /* of the tables and the heads: float, float16 or bfloat16 */
    int64_t heads, size;
    int64_t pairs; /* that are rotated; the other elements of a head are copied */
    bool interleaved;
} opmill_rotation;

/* Rotates the heads of a token by the angles of a row of the tables, in float. Heads are some
 * elements apart, `from_step` and `to_step`. */
void opmill_rotate(const opmill_rotation *rotation, int64_t row, const void *from,
                   int64_t from_step, void *to, int64_t to_step);

#endif
