/* Pools the bins of a region in one channel. */
#ifndef OPMILL_ROI_ALIGN_BINS_H
#define OPMILL_ROI_ALIGN_BINS_H

#include "families/roi_align/axis.h"

/* `line` holds a number for each column; `weights` the means of the columns, in the type that is
 * computed with. */
typedef struct roi_region {
    roi_axis rows, columns;
    void *line, *weights;
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
