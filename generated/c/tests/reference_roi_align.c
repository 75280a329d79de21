/* Each bin visits its samples, each sample its four pixels. */
#include <math.h>
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
    double begin, step;
    int64_t grid;
} axis;

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
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(y->dims, 4); i++) {
        const int64_t at[2] = {i / y->dims[3] % y->dims[2], i % y->dims[3]};
        const int64_t channel = i / y->dims[3] / y->dims[2] % x->dims[1];
        const int64_t region = i / y->dims[3] / y->dims[2] / x->dims[1];
        const int64_t image = ((const int64_t *)inputs[2]->data)[region];
        const int64_t plane = (image * x->dims[1] + channel) * x->dims[2] * x->dims[3];
        axis axes[2];
        for (int k = 0; k < 2; k++) {
            double begin = get_real(rois->data, rois->type, region * 4 + 1 - k) * scale;
            double end = get_real(rois->data, rois->type, region * 4 + 3 - k) * scale;
            begin -= half_pixel ? 0.5 : 0;
            end -= half_pixel ? 0.5 : 0;
            axes[k].step =
                (half_pixel ? end - begin : fmax(end - begin, 1)) / (double)y->dims[2 + k];
            axes[k].begin = begin + (double)at[k] * axes[k].step;
            axes[k].grid = ratio > 0 ? ratio : (int64_t)ceil(axes[k].step);
        }
        double sum = 0, best = -INFINITY;
        for (int64_t a = 0; a < axes[0].grid; a++) {
            const sides down =
                sides_at(axes[0].begin + ((double)a + 0.5) * axes[0].step / (double)axes[0].grid,
                         x->dims[2]);
            for (int64_t b = 0; b < axes[1].grid; b++) {
                const sides along = sides_at(axes[1].begin + ((double)b + 0.5) * axes[1].step /
                                                                 (double)axes[1].grid,
                                             x->dims[3]);
                for (int k = 0; k < 4; k++) {
                    const double weight = down.weight[k / 2] * along.weight[k % 2];
                    double product = 0;
                    if (weight > 0 && !down.outside && !along.outside) {
                        const int64_t pixel = down.pixel[k / 2] * x->dims[3] + along.pixel[k % 2];
                        product = weight * get_real(x->data, x->type, plane + pixel);
                    }
                    sum += product;
                    best = larger(best, product);
                }
            }
        }
        const bool empty = axes[0].grid <= 0 || axes[1].grid <= 0;
        set_real(y->data, y->type, i,
                 empty    ? 0
                 : is_max ? best
                          : sum / ((double)axes[0].grid * (double)axes[1].grid));
    }
}
