/* The element types whose kernels are linked: all, unless OPMILL_USED_TYPES has a bit for each
 * type of enum opmill_type that a program uses. `opmill compile` defines it here.
 *
 * Where a function is selected by type, those of other types are not referenced, so that linkers
 * leave them out: no call may have tensors of these. float is always used: many types are computed
 * as floats. */
#ifndef OPMILL_USED_TYPES_H
#define OPMILL_USED_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "opmill/types.h"

#ifndef OPMILL_USED_TYPES
#define OPMILL_USED_TYPES UINT64_MAX
#endif

#define OPMILL_USES(type) ((OPMILL_USED_TYPES >> OPMILL_##type & 1) != 0)

#define OPMILL_USES_BYTES (OPMILL_USES(INT8) || OPMILL_USES(UINT8))

/* Sums of 32 bits. */
#define OPMILL_USES_WORDS                                                                \
    (OPMILL_USES_BYTES || OPMILL_USES(INT16) || OPMILL_USES(UINT16) || OPMILL_USES(INT32) || \
     OPMILL_USES(UINT32))

#define OPMILL_USES_LONG_WORDS (OPMILL_USES(INT64) || OPMILL_USES(UINT64))

/* A pointer, or NULL if the type is not used. */
#define OPMILL_IF_USED(type, pointer) (OPMILL_USES(type) ? (pointer) : NULL)

#endif
