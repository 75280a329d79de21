/* Floats as text: the fewest decimal digits that identify the number among all of its format, of
 * these the nearest, in plain notation without an exponent; "NaN", "INF", "-INF", "-0". */
#ifndef OPMILL_DECIMAL_SHORTEST_H
#define OPMILL_DECIMAL_SHORTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text before it is written: (-1)^negative * digits * 10^exponent, or a word. */
typedef struct opmill_shortest {
    const char *word; /* NULL for a number with digits */
    uint64_t digits;  /* does not end with a zero, but for 0 itself */
    int32_t exponent;
    int32_t digit_count;
    bool negative;
} opmill_shortest;

opmill_shortest opmill_shortest_double(double value);
opmill_shortest opmill_shortest_float(float value);
opmill_shortest opmill_shortest_unsigned(uint64_t value);
opmill_shortest opmill_shortest_signed(int64_t value);

/* The bytes of the text, without a NUL. */
size_t opmill_shortest_size(const opmill_shortest *number);

/* Writes these bytes, and returns the first address behind them. */
char *opmill_shortest_write(const opmill_shortest *number, char *to);

#endif
