/* Computes, for each bin along an axis, the range of pixels that its samples interpolate between
 * and the sum of the weights of each pixel. */
#include "families/roi_align/axis.h"

#include <math.h>

typedef struct range {
    int64_t begin, end;
} range;

static double within(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* The samples that may lie inside of the image: all where they are close together, as there are few
 * of them then, or the rule has bounded their number. */
static range near_samples(const roi_axis *axis, double begin, double step, int64_t grid) {
    range found = {0, grid};
    if ((double)grid < 2 * step) {
        const double scale = (double)grid / step;
        const double first = floor((-1 - begin) * scale) - 2;
        const double end = ceil(((double)axis->size - begin) * scale) + 2;
        found.begin = (int64_t)within(first, 0, (double)grid);
        found.end = (int64_t)within(end, (double)found.begin, (double)grid);
    }
    return found;
}

static void weigh(roi_axis *axis, const roi_bin *bin, int64_t pixel, double weight) {
    const int64_t at = bin->offset + pixel - bin->first;
    if (pixel < bin->first || pixel >= bin->first + bin->count) {
        return; /* does not happen: the pixels have been counted */
    }
    axis->low[at] = axis->high[at] < 0 || weight < axis->low[at] ? weight : axis->low[at];
    axis->high[at] = weight > axis->high[at] ? weight : axis->high[at];
    axis->mean[at] += weight;
}

typedef struct region {
    double start, size;
    int64_t grid; /* samples of a bin */
} region;

/* Of sample `k` of a bin: rounded late, as it decides whether the sample is inside. */
static double position(const roi_axis *axis, const region *of, int64_t bin, int64_t k) {
    const double grid = (double)of->grid;
    const double number = (double)bin * grid + (double)k + 0.5;
    return of->start + number * of->size / ((double)axis->bin_count * grid);
}

static void fill_bin(roi_axis *axis, int64_t number, const region *of) {
    roi_bin *const bin = &axis->bins[number];
    const double last = (double)(axis->size - 1);
    const double step = of->size / (double)axis->bin_count;
    const int64_t grid = of->grid;
    const range samples = near_samples(axis, of->start + (double)number * step, step, grid);
    const int64_t capacity = opmill_roi_axis_capacity(axis->size, axis->bin_count);
    int64_t first = axis->size, end = 0;
    bin->outside = samples.end - samples.begin < grid;
    for (int64_t k = samples.begin; k < samples.end; k++) {
        const double x = position(axis, of, number, k);
        if (x >= -1 && x <= (double)axis->size) {
            const int64_t pixel = (int64_t)within(x, 0, last);
            first = pixel < first ? pixel : first;
            end = pixel + 2 > end ? pixel + 2 : end;
        } else {
            bin->outside = true;
        }
    }
    end = end < axis->size ? end : axis->size;
    bin->first = first < end ? first : 0;
    bin->count = first < end ? end - first : 0;
    bin->count = bin->count < capacity - bin->offset ? bin->count : capacity - bin->offset;
    for (int64_t i = 0; i < bin->count; i++) {
        axis->low[bin->offset + i] = axis->high[bin->offset + i] = -1;
        axis->mean[bin->offset + i] = 0;
    }
    for (int64_t k = samples.begin; k < samples.end; k++) {
        double x = position(axis, of, number, k);
        if (x >= -1 && x <= (double)axis->size) {
            x = within(x, 0, last);
            const int64_t pixel = (int64_t)x;
            const double upper = x - (double)pixel;
            weigh(axis, bin, pixel, 1 - upper);
            weigh(axis, bin, pixel < axis->size - 1 ? pixel + 1 : pixel, upper);
        }
    }
    for (int64_t i = 0; i < bin->count; i++) {
        axis->mean[bin->offset + i] /= (double)grid;
    }
}

void opmill_roi_axis_fill(roi_axis *axis, double start, double size, int64_t grid) {
    const region of = {start, size, grid};
    int64_t used = 0;
    axis->begin = axis->size;
    axis->end = 0;
    for (int64_t i = 0; i < axis->bin_count; i++) {
        roi_bin *const bin = &axis->bins[i];
        *bin = (roi_bin){0, 0, used, false};
        if (grid > 0) {
            fill_bin(axis, i, &of);
        }
        used += bin->count;
        if (bin->count > 0) {
            const int64_t end = bin->first + bin->count;
            axis->begin = bin->first < axis->begin ? bin->first : axis->begin;
            axis->end = end > axis->end ? end : axis->end;
        }
    }
}
