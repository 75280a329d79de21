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

/* Where a coordinate of the grid lies among the elements of an axis; NaN counts as -1. */
static inline double opmill_sample_position(bool align_corners, int64_t size, double coordinate) {
    const double n = coordinate == coordinate ? coordinate : -1;
    return align_corners ? (n + 1) / 2 * (double)(size - 1) : ((n + 1) * (double)size - 1) / 2;
}

/* The two elements of an axis of at least two for linear interpolation without reflection. */
static inline void opmill_sample_linear(const sample_filter *filter, int64_t size,
                                        double coordinate, int64_t *at, double *weights) {
    const bool border = filter->padding == SAMPLE_BORDER;
    const double low = border ? 0 : -3, high = border ? (double)(size - 1) : (double)size + 2;
    double x = opmill_sample_position(filter->align_corners, size, coordinate);
    x = x < low ? low : x > high ? high : x;
    int64_t first = (int64_t)x;
    first -= (double)first > x; /* rounded down */
    const double t = x - (double)first;
    const bool has_first = first >= 0 && first < size, has_next = first >= -1 && first < size - 1;
    at[0] = has_first ? first : 0;
    at[1] = has_next ? first + 1 : 0;
    weights[0] = has_first ? 1 - t : 0;
    weights[1] = has_next ? t : 0;
}

/* The elements of an axis for a coordinate of the grid, each once. */
sample_taps opmill_sample_axis_taps(const sample_filter *filter, const sample_axis *axis,
                                    double coordinate);

#endif
