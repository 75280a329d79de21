/* Transposing a matrix of small elements: what the strided copy does where source and destination
 * each have their own innermost axis.
 *
 * An instruction set transposes tiles in registers: 16 bytes of each row, and as many rows as make
 * a vector of the destination. Tiles at the edges overlap their neighbours; a matrix that is
 * smaller than a tile goes to the narrower instruction set, and at last to loops in standard C. */
#ifndef OPMILL_TRANSPOSERS_H
#define OPMILL_TRANSPOSERS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/platform/platform.h"

/* Where the matrices are, from near to far. */
typedef enum opmill_tiles {
    OPMILL_TILES_NEAR,   /* both are in the caches of the core */
    OPMILL_TILES_FAR,    /* the source is not, and is prefetched, as in what follows */
    OPMILL_TILES_STAGED, /* and read by whole lines, of which some sets of a cache hold few */
    OPMILL_TILES_AROUND  /* and the destination is written around the caches: by a transposer that
                            can, where its rows begin and end with cache lines */
} opmill_tiles;

/* Both matrices, which do not overlap: element (row, column) of the source becomes element
 * (column, row) of the destination. Steps are in bytes, from row to row; rows are contiguous. */
typedef struct opmill_matrices {
    uint8_t *out;
    const uint8_t *in;
    int64_t out_step;
    int64_t in_step;
    int64_t rows; /* of the source */
    int64_t columns;
    opmill_tiles mode;
} opmill_matrices;

typedef struct opmill_transposer {
    int32_t isa; /* of enum opmill_isa */
    /* For elements of 1, 2, 4, 8 and 16 bytes. */
    void (*run[5])(const opmill_matrices *matrices);
    bool writes_around; /* elements of 1 to 8 bytes; its stores are whole lines */
} opmill_transposer;

const opmill_transposer *opmill_transposer_for(int32_t isa);

extern const opmill_transposer opmill_transposer_plain;
#if OPMILL_X86_64 || OPMILL_NEON
extern const opmill_transposer opmill_transposer_16; /* SSE2 or NEON: vectors of 16 bytes */
#endif
#if OPMILL_X86_64
extern const opmill_transposer opmill_transposer_avx2;
extern const opmill_transposer opmill_transposer_avx512;
#endif

#endif
