/* Floats as text with six decimals, and doubles as floats. */
#ifndef OPMILL_CAST_MAP_FIXED_H
#define OPMILL_CAST_MAP_FIXED_H

/* A sign, the 39 digits of the largest float, the point, six decimals and NUL. */
enum { OPMILL_CAST_MAP_MAX_FIXED = 48 };

/* Writes the text of a float and its NUL; returns the first address behind them. The decimals are
 * rounded from the exact number, a tie to the even digit: as "%.6f", but whatever the locale. */
char *opmill_cast_map_write_fixed(float value, char *to);

/* The nearest float: an infinity from the middle between the largest float and 2^128 on. */
float opmill_cast_map_narrowed(double value);

#endif
