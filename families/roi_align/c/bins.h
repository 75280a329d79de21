/* Pools the bins of a region in one channel. */
#ifndef OPMILL_ROI_ALIGN_BINS_H
#define OPMILL_ROI_ALIGN_BINS_H

#include "families/roi_align/axis.h"

/* Numbers in the type that is computed with: `line` has one for each column of the image, the
 * others those of the table of columns. */
typedef struct roi_region {
    roi_axis rows, columns;
    void *line, *mean, *low, *high;
} roi_region;

typedef struct roi_functions {
    /* Takes over the weights of the columns, once for all channels. */
    void (*begin)(const roi_region *region);
    void (*average)(const roi_region *region, const void *plane, void *to);
    void (*maximum)(const roi_region *region, const void *plane, void *to);
} roi_functions;

/* The functions of a floating type. */
const roi_functions *opmill_roi_functions(int32_t type, int32_t isa);

#endif
