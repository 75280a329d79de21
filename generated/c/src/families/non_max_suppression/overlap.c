/* Instantiates the overlap test of overlap_body.h for each instruction set, converts boxes to
 * corners, and appends boxes to the selected ones. */
#include "families/non_max_suppression/overlap.h"

#include <float.h>

#include "opmill/isa.h"
#include "runtime/platform/platform.h"

#define SET(name) name##_baseline
#include "overlap_body.h"

#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define SET(name) name##_avx2
#include "overlap_body.h"
OPMILL_TARGET_END

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define SET(name) name##_avx512
#include "overlap_body.h"
OPMILL_TARGET_END
#endif

nms_overlaps *opmill_nms_overlaps(int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return overlaps_avx512;
    }
    if (isa == OPMILL_ISA_AVX2) {
        return overlaps_avx2;
    }
#else
    (void)isa;
#endif
    return overlaps_baseline;
}

bool opmill_nms_box(nms_box *box, const float *given, bool centered) {
    float sides[2];
    for (int32_t axis = 0; axis < 2; axis++) {
        const float a = given[axis], b = given[axis + 2];
        if (centered) {
            const float half = b / 2;
            box->low[axis] = a - half;
            box->high[axis] = a + half;
        } else {
            box->low[axis] = a < b ? a : b;
            box->high[axis] = a < b ? b : a;
        }
        sides[axis] = box->high[axis] - box->low[axis];
        if (!(sides[axis] > 0)) {
            return false;
        }
    }
    box->area = sides[0] * sides[1];
    return box->area > 0 && box->area <= FLT_MAX;
}

void opmill_nms_add(nms_selected *selected, const nms_box *box) {
    const int64_t at = selected->count++;
    if (at % NMS_BLOCK == 0) {
        for (int64_t k = at; k < at + NMS_BLOCK; k++) {
            for (int32_t axis = 0; axis < 2; axis++) {
                selected->low[axis][k] = selected->high[axis][k] = 0;
            }
            selected->area[k] = 0;
        }
    }
    for (int32_t axis = 0; axis < 2; axis++) {
        selected->low[axis][at] = box->low[axis];
        selected->high[axis][at] = box->high[axis];
    }
    selected->area[at] = box->area;
}
