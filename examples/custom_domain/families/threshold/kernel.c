/* Threshold. The rule has checked the level, and that `mask` has the shape of `image`. */
#include "families/threshold/kernel.h"

int opmill_threshold_compute(const opmill_tensor *image, opmill_tensor *mask,
                             const opmill_threshold_plan *plan, opmill_context *context) {
    uint8_t *to = mask->data;
    int64_t count = 1;
    (void)context;
    for (int32_t i = 0; i < mask->rank; i++) {
        count *= mask->dims[i];
    }
    if (image->type == OPMILL_UINT8) {
        const uint8_t *from = image->data;
        for (int64_t i = 0; i < count; i++) {
            to[i] = from[i] >= plan->level ? 255 : 0;
        }
    } else {
        const uint16_t *from = image->data;
        for (int64_t i = 0; i < count; i++) {
            to[i] = from[i] >= plan->level ? 255 : 0;
        }
    }
    return OPMILL_OK;
}
