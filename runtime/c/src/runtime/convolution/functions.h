/* Functions for each type of sums and instruction set; the files *_body.h define them. */
#ifndef OPMILL_CONVOLUTION_FUNCTIONS_H
#define OPMILL_CONVOLUTION_FUNCTIONS_H

#include "runtime/convolution/convolution.h"
#include "runtime/platform/platform.h"

/* The part of the output that a task computes, and its memory. */
typedef struct opmill_convolution_task {
    int64_t item, group, outer; /* of the batch, the groups, the positions along the outer axes */
    int64_t row, rows, column, columns, map, maps;
    const int64_t
        *offsets; /* of each term of a block of channels: where its elements begin in the box */
    const char *weights; /* packed, of all groups */
    char *workspace;
} opmill_convolution_task;

typedef struct opmill_convolution_functions {
    int64_t lanes;
    int64_t element_bytes; /* of a sum */
    int64_t max_positions; /* of a tile that has maps in its lanes */
    void (*pack)(const opmill_convolution_layout *layout, int64_t group, int64_t map, char *packed);
    void (*compute)(const opmill_convolution_layout *layout, const opmill_convolution_task *task);
} opmill_convolution_functions;

const opmill_convolution_functions *opmill_convolution_functions_for(int32_t isa, int32_t type);

/* True if few maps or single lanes make the positions be in the lanes. */
static inline bool opmill_convolution_positions_in_lanes(int64_t maps, int64_t lanes) {
    return maps <= lanes / 2 || lanes == 1;
}

/* Vectors of maps in a tile; rows of a tile that has positions in its lanes. */
enum { OPMILL_CONVOLUTION_VECTORS = 2, OPMILL_CONVOLUTION_ROWS = 4 };

#define OPMILL_CONVOLUTION_TABLES(set)                                      \
    extern const opmill_convolution_functions opmill_convolution_f32_##set; \
    extern const opmill_convolution_functions opmill_convolution_f64_##set; \
    extern const opmill_convolution_functions opmill_convolution_p16_##set;
OPMILL_CONVOLUTION_TABLES(plain)
#if OPMILL_GNU
OPMILL_CONVOLUTION_TABLES(baseline)
#endif
#if OPMILL_X86_64
OPMILL_CONVOLUTION_TABLES(avx2)
OPMILL_CONVOLUTION_TABLES(avx512)
#endif
#undef OPMILL_CONVOLUTION_TABLES

#endif
