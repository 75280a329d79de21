/* Elements of several lines of a tensor to rows of doubles and back: row t has element t of each
 * line, side by side. */
#ifndef OPMILL_FOURIER_ROWS_H
#define OPMILL_FOURIER_ROWS_H

#include <stdint.h>

enum { FOURIER_LANES = 8 }; /* lines side by side, where it is not one */

typedef struct fourier_lines {
    int32_t type;
    int64_t lanes; /* 1 or FOURIER_LANES */
    int64_t used;  /* of them; the others repeat the last line, and are not stored */
    int64_t offsets[FOURIER_LANES]; /* where each line begins, in elements */
} fourier_lines;

/* Reads elements first, first + stride, ... of each line. */
void opmill_fourier_read(const fourier_lines *lines, const void *data, int64_t first,
                         int64_t stride, int64_t count, double *rows);

/* Stores rows, each multiplied by a number; the next row is `step` rows further. */
void opmill_fourier_write(const fourier_lines *lines, void *data, int64_t first, int64_t stride,
                          int64_t count, const double *rows, int64_t step, double scale);

#endif
