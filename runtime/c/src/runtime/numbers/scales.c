/* Maps the elements of a quantized tensor to their scales: one for the tensor, one for each
 * position of an axis, or one for each block along it. */
#include "runtime/numbers/scales.h"

#include <string.h>

opmill_scales opmill_scales_of(const opmill_tensor *x, int64_t axis, int64_t block) {
    opmill_scales scales = {0, 0, block, 0};
    if (axis < 0) {
        return scales;
    }
    scales.axis = x->dims[axis];
    scales.inner = 1;
    for (int32_t i = (int32_t)axis + 1; i < x->rank; i++) {
        scales.inner *= x->dims[i];
    }
    scales.blocks = block > 0 ? scales.axis / block + (scales.axis % block != 0) : scales.axis;
    return scales;
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

opmill_scale_run opmill_scales_run(const opmill_scales *scales, int64_t element,
                                   int64_t max_count) {
    if (scales->inner == 0) {
        return (opmill_scale_run){0, max_count, 0};
    }
    const int64_t row = element / scales->inner, behind = element % scales->inner;
    const int64_t outer = row / scales->axis, index = row % scales->axis;
    const int64_t left = scales->axis - index;
    if (scales->block == 0) {
        return scales->inner == 1
                   ? (opmill_scale_run){index, smaller(left, max_count), 1}
                   : (opmill_scale_run){index, smaller(scales->inner - behind, max_count), 0};
    }
    const int64_t at = outer * scales->blocks + index / scales->block;
    if (scales->inner > 1) {
        return (opmill_scale_run){at * scales->inner + behind,
                                  smaller(scales->inner - behind, max_count), 1};
    }
    if (scales->block == 1) {
        return (opmill_scale_run){at, smaller(left, max_count), 1};
    }
    return (opmill_scale_run){
        at, smaller(smaller(scales->block - index % scales->block, left), max_count), 0};
}

int opmill_scales_spread(const opmill_scales *scales, int64_t element, int64_t count,
                         const float *values, const float *zeros, float *spread,
                         float *spread_zeros, int64_t *index) {
    opmill_scale_run run = opmill_scales_run(scales, element, count);
    int64_t done = 0;
    if (run.step == 0 && run.count == count) {
        *index = run.first;
        return 1;
    }
    for (;;) {
        if (run.step != 0) {
            memcpy(spread + done, values + run.first, (size_t)run.count * sizeof *values);
            memcpy(spread_zeros + done, zeros + run.first, (size_t)run.count * sizeof *zeros);
        } else {
            for (int64_t i = 0; i < run.count; i++) {
                spread[done + i] = values[run.first];
                spread_zeros[done + i] = zeros[run.first];
            }
        }
        done += run.count;
        if (done == count) {
            return 0;
        }
        run = opmill_scales_run(scales, element + done, count - done);
    }
}
