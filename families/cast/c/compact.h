/* Casts in little code, for microcontrollers. */
#ifndef OPMILL_CAST_COMPACT_H
#define OPMILL_CAST_COMPACT_H

#include <stdint.h>

typedef struct opmill_cast_compact_plan {
    int32_t count;
} opmill_cast_compact_plan;

typedef void opmill_cast_compact(const void *x, void *y, const opmill_cast_compact_plan *plan);

/* What opmill_cast_compute computes, in the same bits. */
#define OPMILL_CAST_COMPACT(from)                                                              \
    opmill_cast_compact opmill_cast_compact_##from##_bool, opmill_cast_compact_##from##_float, \
        opmill_cast_compact_##from##_int32, opmill_cast_compact_##from##_int64,                \
        opmill_cast_compact_##from##_int8, opmill_cast_compact_##from##_uint8

OPMILL_CAST_COMPACT(bool);
OPMILL_CAST_COMPACT(float);
OPMILL_CAST_COMPACT(int32);
OPMILL_CAST_COMPACT(int64);
OPMILL_CAST_COMPACT(int8);
OPMILL_CAST_COMPACT(uint8);

#endif
