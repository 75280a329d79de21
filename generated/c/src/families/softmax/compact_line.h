/* Softmax of one line; the mathematics and the rules of calls do not go into one file. */
#ifndef OPMILL_SOFTMAX_COMPACT_LINE_H
#define OPMILL_SOFTMAX_COMPACT_LINE_H

#include <stdint.h>

void opmill_softmax_compact_line(const float *x, float *y, int32_t length);

/* The same without arithmetic in double, for at most OPMILL_LANES_BLOCK elements. */
void opmill_softmax_compact_short_line(const float *x, float *y, int32_t length);

#endif
