/* Few rows of A times columns of weights of 4 bits, which become floats in registers. */
#ifndef OPMILL_MATMUL_NBITS_DOTS_H
#define OPMILL_MATMUL_NBITS_DOTS_H

#include <stdint.h>

#include "families/matmul_nbits/weights.h"

enum {
    NBITS_COLUMNS = 4, /* that are computed together */
    NBITS_ROWS = 4,    /* the maximum of rows */
    NBITS_GROUP = 16   /* codes that are read together; the depth is a multiple */
};

/* The position of an element of A in an order that suits the codes: of each group, element i + 8
 * is behind element i. */
static inline int64_t opmill_nbits_position(int64_t i) {
    const int64_t half = NBITS_GROUP / 2, within = i % NBITS_GROUP;
    return i - within + within % half * 2 + within / half;
}

/* Rows of A in that order, each `depth` long. */
typedef struct nbits_factors {
    const float *a;
    int64_t rows, depth;
} nbits_factors;

/* Writes the products with NBITS_COLUMNS columns, those of a row next to each other. */
typedef void opmill_nbits_dots(const nbits_factors *factors, const nbits_row *columns, float *sums);

#if OPMILL_X86_64
opmill_nbits_dots opmill_nbits_dots_avx2;
opmill_nbits_dots opmill_nbits_dots_avx512;
#endif

/* The function for a level of opmill/isa.h; NULL if it has none. */
opmill_nbits_dots *opmill_nbits_dots_of(int32_t isa);

#endif
