/* Each bin visits its samples along both axes; a pixel has the products of the weights there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

typedef struct sides {
    int64_t pixel[2];
    double weight[2];
    bool outside;
} sides;

static sides sides_at(double position, int64_t pixels) {
    sides found = {{0, 0}, {0, 0}, true};
    if (position >= -1 && position <= (double)pixels && pixels > 0) {
        const double inside = fmin(fmax(position, 0), (double)pixels - 1);
        found.pixel[0] = (int64_t)floor(inside);
        found.pixel[1] = found.pixel[0] + 1 < pixels ? found.pixel[0] + 1 : found.pixel[0];
        found.weight[1] = inside - floor(inside);
        found.weight[0] = 1 - found.weight[1];
        found.outside = false;
    }
    return found;
}

typedef struct axis {
    double start, size; /* of the region */
    double begin, step; /* of the bin, about */
    int64_t bin, bins, grid, pixels;
    double *total, *large, *small; /* of the weights above 0 of each pixel */
    bool has_zero;                 /* whether a sample is outside, or has a weight of 0 */
} axis;

/* Samples that lie a pixel or less apart are left out where they are far outside of the image. */
static void weigh(axis *by, bool is_adaptive) {
    int64_t first = 0, end = by->grid;
    if (is_adaptive && end > 0) {
        const double apart = by->step / (double)by->grid;
        first = (int64_t)fmin(fmax(floor((-1 - by->begin) / apart) - 2, 0), (double)end);
        end =
            (int64_t)fmin(fmax(ceil(((double)by->pixels - by->begin) / apart) + 2, 0), (double)end);
    }
    by->has_zero = first > 0 || end < by->grid;
    for (int64_t p = 0; p < by->pixels; p++) {
        by->total[p] = by->large[p] = 0;
        by->small[p] = INFINITY;
    }
    for (int64_t i = first; i < end; i++) {
        const double odd = 2 * ((double)by->bin * (double)by->grid + (double)i) + 1;
        const double part = odd * by->size / (2 * (double)by->bins * (double)by->grid);
        const sides found = sides_at(by->start + part, by->pixels);
        by->has_zero = by->has_zero || found.outside;
        for (int k = 0; k < 2 && !found.outside; k++) {
            const int64_t p = found.pixel[k];
            const double weight = found.weight[k];
            by->has_zero = by->has_zero || weight == 0;
            by->total[p] += weight;
            by->large[p] = fmax(by->large[p], weight);
            by->small[p] = weight > 0 ? fmin(by->small[p], weight) : by->small[p];
        }
    }
}

static double larger(double a, double b) { return isnan(a) ? a : isnan(b) || b > a ? b : a; }

void reference_roi_align(const opmill_operator *operator, const opmill_tensor *const *inputs,
                         int32_t input_count, const void *attributes,
                         const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const rois = inputs[1], *const y = outputs[0];
    const double scale = *(const float *)attribute_of(operator, attributes, "spatial_scale");
    const int64_t ratio = *(const int64_t *)attribute_of(operator, attributes, "sampling_ratio");
    const char *const mode = *(const char *const *)attribute_of(operator, attributes, "mode");
    const bool is_max = strcmp(mode, "max") == 0;
    const char *const *const word =
        attribute_of(operator, attributes, "coordinate_transformation_mode");
    const bool half_pixel = word != NULL && strcmp(*word, "half_pixel") == 0;
    axis axes[2];
    (void)input_count;
    (void)output_count;
    for (int k = 0; k < 2; k++) {
        /* an image without pixels has none along either axis, however long the other one is */
        axes[k].pixels = count_of(x->dims, 4) > 0 ? x->dims[2 + k] : 0;
        axes[k].total = malloc((size_t)(3 * axes[k].pixels + 1) * sizeof(double));
        if (axes[k].total == NULL) {
            abort();
        }
        axes[k].large = axes[k].total + axes[k].pixels;
        axes[k].small = axes[k].large + axes[k].pixels;
    }
    for (int64_t i = 0; i < count_of(y->dims, 4); i++) {
        const int64_t at[2] = {i / y->dims[3] % y->dims[2], i % y->dims[3]};
        const int64_t channel = i / y->dims[3] / y->dims[2] % x->dims[1];
        const int64_t region = i / y->dims[3] / y->dims[2] / x->dims[1];
        const int64_t image = ((const int64_t *)inputs[2]->data)[region];
        const int64_t plane = (image * x->dims[1] + channel) * x->dims[2] * x->dims[3];
        for (int k = 0; k < 2; k++) {
            double begin = get_real(rois->data, rois->type, region * 4 + 1 - k) * scale;
            double end = get_real(rois->data, rois->type, region * 4 + 3 - k) * scale;
            begin -= half_pixel ? 0.5 : 0;
            end -= half_pixel ? 0.5 : 0;
            axes[k].start = begin;
            axes[k].size = half_pixel ? end - begin : fmax(end - begin, 1);
            axes[k].bin = at[k];
            axes[k].bins = y->dims[2 + k];
            axes[k].step = axes[k].size / (double)y->dims[2 + k];
            axes[k].begin = begin + (double)at[k] * axes[k].step;
            axes[k].grid = ratio > 0 ? ratio : (int64_t)ceil(axes[k].step);
            weigh(&axes[k], ratio <= 0);
        }
        double sum = 0, best = axes[0].has_zero || axes[1].has_zero ? 0 : -INFINITY;
        for (int64_t p = 0; p < x->dims[2]; p++) {
            for (int64_t q = 0; q < x->dims[3] && axes[0].large[p] > 0; q++) {
                if (axes[1].large[q] > 0) {
                    const double value = get_real(x->data, x->type, plane + p * x->dims[3] + q);
                    sum += axes[0].total[p] * axes[1].total[q] * value;
                    best = larger(best, axes[0].large[p] * axes[1].large[q] * value);
                    best = larger(best, axes[0].small[p] * axes[1].small[q] * value);
                }
            }
        }
        const bool empty = axes[0].grid <= 0 || axes[1].grid <= 0;
        set_real(y->data, y->type, i,
                 empty    ? 0
                 : is_max ? best
                          : sum / ((double)axes[0].grid * (double)axes[1].grid));
    }
    free(axes[0].total);
    free(axes[1].total);
}
