/* The columns kernel: one matrix product, then each output adds up its taps.
 *
 * The products of every weight of a map with the inputs that it meets, summed over the channels,
 * are columns[map][tap][position], a plain matrix product that reads X as it lies and needs no
 * padding. A row of outputs is then the sum of those columns that land on it, each shifted; only
 * what is inside is read. The columns of some slices of the first axis at a time stay in the
 * cache, and the last of them stay until the outputs that they share with the next are done.
 *
 * It is the one for few maps, which would leave the tiles of the phases kernel half empty, and for
 * many maps where images are so small that many of its vectors would run over their edges. The
 * additions pay where there are enough channels. Nothing is padded: only inputs and weights are
 * multiplied.
 */
#ifndef OPMILL_CONV_TRANSPOSE_COLUMNS_H
#define OPMILL_CONV_TRANSPOSE_COLUMNS_H

#include "functions.h"
#include "problem.h"

enum {
    /* Taps of the last axis, of all others together, and phases of the last axis. */
    COLUMNS_LAST_TAPS = 64,
    COLUMNS_OUTER_TAPS = 64,
    COLUMNS_PHASES = 16,
    /* Channels whose inputs, some vectors of each, are gone over for all weights, from the
     * first-level cache. */
    COLUMNS_CHANNELS = 128,
    /* Vectors of positions of a tile. */
    COLUMNS_VECTORS = 3,
    /* Inputs of so many bytes come from memory. Where each is used for few rows, that takes as long
     * as the products, and is fastest in streams: processors follow some dozens of them, each over
     * some KiB. Hence fewer channels at once, along a strip of so many tiles. */
    COLUMNS_STREAMED_BYTES = 2 * 1024 * 1024,
    COLUMNS_STREAMED_ROWS = 18,
    COLUMNS_STREAMS = 32,
    COLUMNS_STRIP = 32
};

typedef struct columns_layout {
    const conv_transpose_problem *problem;
    const conv_transpose_functions *functions;
    int32_t threads;
    int64_t maps;     /* of a block */
    int64_t blocks;   /* of a group; where there is only one, all threads work at it */
    int64_t channels; /* whose products are summed up at once, for a strip of so many spans */
    int64_t spans;
    int64_t slice;       /* positions of one index of the first axis */
    int64_t slices;      /* of a chunk: so many are new in it */
    int64_t images;      /* of a chunk; more than one are whole ones */
    int64_t base;        /* where the new ones of an image are, after those that stay */
    int64_t image_pitch; /* elements from an image to the next, from a column to the next */
    int64_t pitch;
    int64_t weights_pitch; /* elements from a channel to the next, in the weights of a block */
    /* The taps of the last axis by phase, and which input each takes: step + offset. */
    int64_t phases;
    int64_t first[COLUMNS_PHASES + 1];
    uint8_t tap[COLUMNS_LAST_TAPS];
    int64_t offset[COLUMNS_LAST_TAPS];
    size_t weights_bytes; /* of a block */
    size_t block_bytes;   /* weights, then columns */
    size_t panel_bytes;   /* of a thread */
    size_t bytes;
} columns_layout;

/* Some images, and of the first axis the inputs that are new and the outputs that get done. */
typedef struct columns_chunk {
    int64_t image;
    int64_t images;
    int64_t x_kept; /* inputs [x_kept, x_from) are there */
    int64_t x_from;
    int64_t x_to;
    int64_t y_from;
    int64_t y_to;
} columns_chunk;

/* Lays a call out; false where this kernel is not the one. */
bool opmill_conv_transpose_columns_layout(columns_layout *layout,
                                          const conv_transpose_problem *problem,
                                          const conv_transpose_functions *functions,
                                          int32_t threads);

void opmill_conv_transpose_columns(const columns_layout *layout, void *workspace);

#endif
