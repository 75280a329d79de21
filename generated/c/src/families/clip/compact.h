/* Clip in little code and memory, for microcontrollers.
 *
 * The result of opmill_clip_compute, in the same bits. The names end with the type of x. */
#ifndef OPMILL_CLIP_COMPACT_H
#define OPMILL_CLIP_COMPACT_H

#include "families/clip/plan.h"

typedef int opmill_clip_compact(const opmill_tensor *x, const opmill_tensor *low,
                                const opmill_tensor *high, opmill_tensor *y,
                                const opmill_clip_plan *plan, opmill_context *context);

opmill_clip_compact opmill_clip_compact_float;
opmill_clip_compact opmill_clip_compact_int8;
opmill_clip_compact opmill_clip_compact_uint8;

#endif
