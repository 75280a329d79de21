/* Test whether a box overlaps one of those selected before it by more than a threshold, for
 * several instruction sets. */
#ifndef OPMILL_NON_MAX_SUPPRESSION_OVERLAP_H
#define OPMILL_NON_MAX_SUPPRESSION_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

enum { NMS_BLOCK = 16 /* boxes that are compared at a time */ };

typedef struct nms_box {
    float low[2], high[2];
    float area; /* a positive number */
} nms_box;

/* The selected boxes, number by number. Up to the next multiple of NMS_BLOCK, boxes without area
 * follow them. */
typedef struct nms_selected {
    float *low[2], *high[2], *area;
    int64_t count;
} nms_selected;

typedef bool nms_overlaps(const nms_selected *selected, const nms_box *box, float threshold);

nms_overlaps *opmill_nms_overlaps(int32_t isa);

/* The corners of a box, and its area; false where that is no positive number: such a box overlaps
 * nothing. */
bool opmill_nms_box(nms_box *box, const float *given, bool centered);

/* Adds a box; there is room for a multiple of NMS_BLOCK. */
void opmill_nms_add(nms_selected *selected, const nms_box *box);

#endif
