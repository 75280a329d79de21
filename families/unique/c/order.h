/* The items of a tensor, elements or slices, in ascending order. */
#ifndef OPMILL_UNIQUE_ORDER_H
#define OPMILL_UNIQUE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Element (o, k) of item i is element (o * count + i) * inner + k of the data; there is one at
 * least. Items are compared element by element, first by o. Zeros of both signs are equal; NaN is
 * above all numbers. */
typedef struct unique_items {
    const unsigned char *data;
    int32_t type;
    int32_t bytes; /* of an element */
    int64_t outer, count, inner;
    bool flat; /* NaNs are equal; else an item with a NaN equals no other */
} unique_items;

/* What an entry has beside the number of an item: it differs from the entry before. */
#define UNIQUE_STARTS ((uint64_t)1 << 63)

/* The words of 64 bits that unique_order uses, of each item. */
int64_t opmill_unique_words(const unique_items *items);

/* Writes an entry for each item to the beginning of `words`: in ascending order, equal ones by
 * their numbers. */
void opmill_unique_order(const unique_items *items, uint64_t *words);

#endif
