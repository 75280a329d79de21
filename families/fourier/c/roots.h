/* Roots of unity: e^(-2 pi i j / count) for j from 0 to count - 1. */
#ifndef OPMILL_FOURIER_ROOTS_H
#define OPMILL_FOURIER_ROOTS_H

#include <stdint.h>

/* Each part within three units in the last place; quarters of a turn are exact. */
void opmill_fourier_roots(double *re, double *im, int64_t count, int32_t isa);

#endif
