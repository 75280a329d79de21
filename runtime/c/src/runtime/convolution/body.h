/* Convolutions for one type of sums and one instruction set. */
#if !IS_INTEGER || IS_PACKED /* no operator convolves wider integers */
#include "runtime/product/elements_body.h"

#if TERMS == 2
#include "runtime/convolution/pairs_body.h"
#endif

#include "runtime/convolution/box_body.h"

#include "runtime/convolution/store_body.h"

#include "runtime/convolution/maps_body.h"

#include "runtime/convolution/positions_body.h"

/* All channels of a task, box by box; then its sums become elements of the output. */
static void NAME(convolution_compute)(const opmill_convolution_layout *layout,
                                      const opmill_convolution_task *task) {
    REAL *const box = (REAL *)(void *)task->workspace;
    REAL *const sums = (REAL *)(void *)(task->workspace + layout->sums_offset);
    REAL *const block = (REAL *)(void *)(task->workspace + layout->block_offset);
    int64_t channel = 0;
    do { /* once where there is no channel, for sums of nothing */
        const int64_t left = layout->all_channels - channel;
        const int64_t channels = layout->box_channels < left ? layout->box_channels : left;
#if IS_INTEGER
        const bool has_box = true;
#else
        const bool has_box = NAME(convolution_plane_of)(layout, task) == NULL;
#endif
        if (has_box) {
            NAME(convolution_fill)(layout, task, channel, channels, box);
        }
        if (layout->variant == OPMILL_CONVOLUTION_POSITIONS) {
            NAME(convolution_positions)(layout, task, channel, channels, box, sums, block);
            channel += channels;
            continue;
        }
        NAME(convolution_maps)(layout, task, channel, channels, box, sums, block);
        channel += channels;
    } while (channel < layout->all_channels);
    if (layout->variant == OPMILL_CONVOLUTION_POSITIONS && !layout->is_direct) {
        NAME(convolution_store_positions)(layout, task, sums);
    }
}

const opmill_convolution_functions NAME(convolution) = {
    LANES,
    (int64_t)sizeof(REAL),
    NAME(convolution_max_positions),
    NAME(convolution_pack),
    NAME(convolution_compute),
};
#endif
