/* Weights of the samples of a region's bins along an axis: for each bin the adjacent pixels that
 * they lie between. */
#ifndef OPMILL_ROI_ALIGN_AXIS_H
#define OPMILL_ROI_ALIGN_AXIS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct roi_bin {
    int64_t first, count; /* pixels; none where no sample is inside */
    int64_t offset;       /* of the first one among the weights */
    bool outside;         /* whether a sample lies outside of the image */
} roi_bin;

typedef struct roi_axis {
    int64_t size; /* pixels, at least 1 */
    int64_t bin_count;
    roi_bin *bins;
    double *low, *high; /* the smallest and the largest weight of each pixel; -1 of an unused one */
    double *mean;       /* over all samples of the bin */
    int64_t begin, end; /* the pixels that any bin uses */
} roi_axis;

/* The pixels of all bins: neighbouring bins share two at most, and rounding another one. */
static inline int64_t opmill_roi_axis_capacity(int64_t size, int64_t bin_count) {
    return size + 4 * bin_count + 8;
}

/* Fills the tables of the bins of a region that begins at `start`, each with `grid` samples. */
void opmill_roi_axis_fill(roi_axis *axis, double start, double size, int64_t grid);

#endif
