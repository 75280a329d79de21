/* Convolutions of 8-bit integers that take four terms of a sum at a time, where the instruction set
 * has such a product of unsigned and signed bytes. Positions of the output are in the lanes, as
 * many of a plane as a task has, row by row without gaps. An element of the box, a quad, has four
 * channels of one tap or, where that takes fewer quads, four adjacent taps of one channel.
 *
 * Inputs are unsigned and weights signed. Where they are not, 128 is added or subtracted, as it is
 * from their zero points. Those of the weights must be 0 then; that of the input, which is also
 * what lies outside of it, is subtracted from the sums times the sum of a map's weights.
 */
#ifndef OPMILL_CONVOLUTION_QUADS_H
#define OPMILL_CONVOLUTION_QUADS_H

#include "runtime/convolution/description.h"
#include "runtime/platform/platform.h"

/* Layout of the computation. The box has, for each channel or quad of channels, each tap of the
 * outer axes and each column of quads, the rows of the task: those of the window, by their
 * remainder of the stride, or, where that takes less, those of each tap. Quads are joined from
 * lines of bytes: rows of the input with what lies outside of it or, in the same way as rows, their
 * elements a stride apart. */
typedef struct opmill_quads_layout {
    const opmill_convolution *convolution;
    const struct opmill_quads_functions *functions;
    opmill_convolution_axis rows_axis, columns_axis; /* the last two, or one row of all positions */
    int32_t outer_axes;                              /* those before */
    int64_t outer_size;                              /* of the output */
    int64_t rows, columns, maps;                     /* of a task; all columns, or one row */
    int64_t row_tasks, column_tasks, map_tasks;

    bool joins_taps;                     /* whether a quad has taps of one channel */
    int64_t channel_steps, column_steps; /* quads along the channels and along the columns */
    int64_t outer_taps, terms;
    bool rows_by_tap, lines_by_tap;
    int64_t row_phases, phase_rows, box_rows; /* phases are remainders or taps */
    bool is_direct;                           /* whether the input itself has the lines */
    bool takes_windows; /* whether a line is a whole row, of which quads are adjacent bytes */
    int64_t lines, line_stride, line_size, line_pitch; /* of a row, in bytes */

    int32_t threads;
    size_t offsets_bytes; /* shared by all tasks */
    size_t lines_offset, weights_offset, sums_offset,
        worker_bytes; /* of a worker, behind its box */
} opmill_quads_layout;

/* The part of the output that a task computes, and its memory. */
typedef struct opmill_quads_task {
    int64_t item, group, outer; /* of the batch, the groups, the positions along the outer axes */
    int64_t row, rows, column, columns, map, maps;
    const int64_t *offsets; /* of each term in the box */
    char *workspace;
} opmill_quads_task;

typedef struct opmill_quads_functions {
    void (*compute)(const opmill_quads_layout *layout, const opmill_quads_task *task);
    /* Packs the weights of some maps of one group, [term][map], and finds the sum of each map's. */
    void (*pack)(const opmill_convolution *convolution, int64_t map, int64_t maps, void *packed,
                 uint32_t *totals);
} opmill_quads_functions;

#if OPMILL_X86_64
extern const opmill_quads_functions opmill_quads_q8_avx512; /* where there is VNNI */
#endif

/* Maps and vectors of positions of the largest tile. Weights are packed for so many maps. */
enum { OPMILL_QUADS_MAPS = 6, OPMILL_QUADS_VECTORS = 4 };

/* True if the instruction set has quads; whether the zero points of the weights allow them. */
bool opmill_quads_exist(const opmill_convolution *convolution, int32_t isa);
bool opmill_quads_fit(const opmill_convolution *convolution);

/* Functions of the weights alone. */
bool opmill_quads_join_taps(const opmill_convolution *convolution);
int64_t opmill_quads_terms(const opmill_convolution *convolution);

void opmill_quads_lay_out(opmill_quads_layout *layout, const opmill_convolution *convolution,
                          const opmill_context *context);

/* The bytes of workspace that opmill_quads_run needs, at any address. */
size_t opmill_quads_workspace(const opmill_quads_layout *layout);

void opmill_quads_run(const opmill_quads_layout *layout, void *workspace);

/* The packed form of all weights: [group][block of maps][term][map], then the sum of each map's.
 * UINT64_MAX where it has too many bytes. */
uint64_t opmill_quads_packed_bytes(const opmill_convolution *convolution);
void opmill_quads_pack(const opmill_convolution *convolution, void *packed);

#endif
