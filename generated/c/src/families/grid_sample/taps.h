/* The elements of an axis around a position, and their weights. */
#ifndef OPMILL_GRID_SAMPLE_TAPS_H
#define OPMILL_GRID_SAMPLE_TAPS_H

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLE_MAX_TAPS = 4 };

typedef enum sample_padding { SAMPLE_ZEROS, SAMPLE_BORDER, SAMPLE_REFLECTION } sample_padding;

typedef struct sample_axis {
    int64_t size;   /* at least 1 */
    int64_t stride; /* elements of an image from one element of the axis to the next */
    int32_t slots;  /* elements that a position may have, min(taps, size) */
} sample_axis;

typedef struct sample_filter {
    bool align_corners;
    sample_padding padding;
    int32_t taps; /* 1: nearest, 2: linear, 4: cubic */
} sample_filter;

typedef struct sample_taps {
    int64_t at[SAMPLE_MAX_TAPS];
    double weights[SAMPLE_MAX_TAPS]; /* 0 of what is not used; `at` is an element all the same */
} sample_taps;

/* The elements of an axis for a coordinate of the grid, each once. */
sample_taps opmill_sample_axis_taps(const sample_filter *filter, const sample_axis *axis,
                                    double coordinate);

#endif
