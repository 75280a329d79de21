/* Positions of keys in a list, found through a table: of equal keys the last one. Floats are equal
 * as numbers are, so that 0 equals -0; each NaN equals every NaN. */
#ifndef OPMILL_LOOKUP_H
#define OPMILL_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#include "opmill/types.h"

typedef struct opmill_lookup_entry {
    uint64_t code;    /* of a number, or the hash of a text */
    int64_t number;   /* the position, counted from 1; 0 for an unused entry */
    const char *text; /* NULL of a number */
} opmill_lookup_entry;

typedef struct opmill_lookup {
    opmill_lookup_entry *entries;
    uint64_t mask; /* the number of entries, a power of 2, minus 1 */
} opmill_lookup;

/* The workspace that a table of so many keys needs; SIZE_MAX where a size_t does not hold it. */
size_t opmill_lookup_bytes(int64_t count);

/* Enters the elements of a tensor: strings, int16, int32, int64, float or double. */
void opmill_lookup_begin(opmill_lookup *lookup, const opmill_tensor *keys, void *workspace);

/* The code under which an element of a tensor of numbers is found, and that of an integer. */
uint64_t opmill_lookup_code(const opmill_tensor *tensor, int64_t i);
static inline uint64_t opmill_lookup_integer(int64_t value) { return (uint64_t)value; }

/* The position of a number by its code, or of a text; -1 where it is not in the list. */
int64_t opmill_lookup_number(const opmill_lookup *lookup, uint64_t code);
int64_t opmill_lookup_text(const opmill_lookup *lookup, const char *text);

#endif
