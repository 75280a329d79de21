/* Walks over all elements of a tensor beside another one, which has a step for each axis. */
#ifndef OPMILL_COMPACT_STEPS_H
#define OPMILL_COMPACT_STEPS_H

#include <stddef.h>

#include "opmill/types.h"

enum { OPMILL_COMPACT_RANK = 8 }; /* the largest rank */

typedef struct opmill_compact_steps {
    int32_t rank;
    int32_t size[OPMILL_COMPACT_RANK], step[OPMILL_COMPACT_RANK], at[OPMILL_COMPACT_RANK];
} opmill_compact_steps;

/* The first element of y. The caller sets the steps. */
static inline void opmill_compact_steps_begin(opmill_compact_steps *steps, const opmill_tensor *y) {
    steps->rank = y->rank;
    for (int32_t i = 0; i < y->rank; i++) {
        steps->size[i] = (int32_t)y->dims[i];
        steps->at[i] = 0;
    }
}

/* The index in the other tensor for the next element of y, of that for this one; 0 after the last.
 */
static inline int32_t opmill_compact_next(opmill_compact_steps *steps, int32_t index) {
    for (int32_t i = steps->rank - 1; i >= 0; i--) {
        index += steps->step[i];
        if (++steps->at[i] < steps->size[i]) {
            return index;
        }
        steps->at[i] = 0;
        index -= steps->step[i] * steps->size[i];
    }
    return 0;
}

/* The steps of a tensor that is repeated along axes where it has one element, or none: its first
 * axis is axis `first` of y. */
static inline void opmill_compact_broadcast(opmill_compact_steps *steps, const opmill_tensor *y,
                                            const opmill_tensor *other, int32_t first) {
    int32_t next = 1;
    opmill_compact_steps_begin(steps, y);
    for (int32_t i = y->rank - 1; i >= 0; i--) {
        const int32_t k = i - first;
        const int32_t size = k >= 0 && k < other->rank ? (int32_t)other->dims[k] : 1;
        steps->step[i] = size > 1 ? next : 0;
        next *= size;
    }
}

#endif
