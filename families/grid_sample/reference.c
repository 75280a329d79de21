/* Each position asks every element of its image for its weight. */
#include <math.h>
#include <string.h>

#include "formats.h"
#include "reference.h"
#include "values.h"

typedef struct filter {
    char mode, padding; /* the first letters, without "bi" */
    bool align;
} filter;

/* The element at a place of the padded axis, however far away; -1 for none. */
static int64_t inside(const filter *by, int64_t size, double position) {
    const double count = (double)size;
    if (position >= 0 && position < count) {
        return (int64_t)position;
    }
    if (by->padding == 'z') {
        return -1;
    }
    if (by->padding == 'b' || size == 1) {
        return position < 0 ? 0 : size - 1;
    }
    const double period = by->align ? 2 * (count - 1) : 2 * count;
    double rest = fmod(position, period);
    rest = rest < 0 ? rest + period : rest;
    if (rest < count) {
        return (int64_t)rest;
    }
    return (int64_t)(by->align ? period - rest : period - 1 - rest);
}

static double weight_of(const filter *by, int64_t size, double coordinate, int64_t element) {
    const double a = -0.75;
    coordinate = isnan(coordinate) ? -1 : coordinate;
    double x = by->align ? (coordinate + 1) / 2 * (double)(size - 1)
                         : ((coordinate + 1) * (double)size - 1) / 2;
    double sum = 0;
    if (!isfinite(x)) {
        const bool last = by->padding == 'b' && x > 0;
        return by->padding != 'z' && element == (last ? size - 1 : 0) ? 1 : 0;
    }
    x = by->mode == 'n' ? nearbyint(x) : x;
    const double low = floor(x), part = x - low;
    for (int k = -1; k <= 2; k++) {
        const double d = fabs(k - part);
        double weight = d < 1 ? 1 - d : 0;
        if (by->mode == 'c') {
            weight = d <= 1  ? ((a + 2) * d - (a + 3)) * d * d + 1
                     : d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
                             : 0;
        }
        sum += weight != 0 && inside(by, size, low + k) == element ? weight : 0;
    }
    return sum;
}

static double part_of(const opmill_tensor *x, int64_t i, int part) {
    const int parts = type_parts(x->type);
    return parts == 2 ? get_real(x->data, x->type, 2 * i + part) : number_at(x, i);
}

static void store(const opmill_tensor *y, int64_t i, int part, double value) {
    const int parts = type_parts(y->type);
    const bool real = y->type == OPMILL_FLOAT || y->type == OPMILL_DOUBLE ||
                      y->type == OPMILL_FLOAT16 || y->type == OPMILL_BFLOAT16 || parts == 2;
    if (real) {
        set_real(y->data, y->type, i * parts + part, value);
        return;
    }
    const int bits = 8 * (int)type_bytes(y->type, 1);
    const bool is_signed = y->type == OPMILL_INT8 || y->type == OPMILL_INT16 ||
                           y->type == OPMILL_INT32 || y->type == OPMILL_INT64;
    const double low = is_signed ? -ldexp(1, bits - 1) : 0;
    const double high = ldexp(1, is_signed ? bits - 1 : bits) - 1;
    const double nudged = trunc(value < 0 ? value - 0x1p-20 : value + 0x1p-20);
    set_whole(y->data, y->type, i, (int64_t)fmin(fmax(nudged, low), high));
}

void reference_grid_sample(const opmill_operator *operator, const opmill_tensor *const *inputs,
                           int32_t input_count, const void *attributes,
                           const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const grid = inputs[1], *const y = outputs[0];
    const char *const mode = *(const char *const *)attribute_of(operator, attributes, "mode");
    const char *const padding =
        *(const char *const *)attribute_of(operator, attributes, "padding_mode");
    const filter by = {mode[0] == 'b' ? mode[2] : mode[0], padding[0],
                       int_of(operator, attributes, "align_corners", 0) != 0};
    const int32_t axes = x->rank - 2;
    const int64_t pixels = count_of(x->dims + 2, axes), positions = count_of(y->dims + 2, axes);
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(y->dims, y->rank); i++) {
        const int64_t image = i / positions,
                      position = image / x->dims[1] * positions + i % positions;
        double sums[2] = {0, 0};
        int64_t taken = -1;
        for (int64_t pixel = 0; pixel < pixels; pixel++) {
            int64_t rest = pixel;
            double weight = 1;
            for (int32_t k = axes - 1; k >= 0; k--) {
                const int64_t at = position * axes + axes - 1 - k;
                const double coordinate = get_real(grid->data, grid->type, at);
                weight *= weight_of(&by, x->dims[2 + k], coordinate, rest % x->dims[2 + k]);
                rest /= x->dims[2 + k];
            }
            taken = weight != 0 ? image * pixels + pixel : taken;
            for (int part = 0; weight != 0 && by.mode != 'n' && part < 2; part++) {
                sums[part] += weight * part_of(x, image * pixels + pixel,
                                               part < type_parts(x->type) ? part : 0);
            }
        }
        if (by.mode != 'n') {
            for (int part = 0; part < type_parts(y->type); part++) {
                store(y, i, part, sums[part]);
            }
        } else if (taken >= 0) {
            copy_element(y, i, x, taken);
        } else if (y->type == OPMILL_STRING) {
            ((const char **)y->data)[i] = "";
        } else {
            memset((char *)y->data + (size_t)i * type_bytes(y->type, 1), 0, type_bytes(y->type, 1));
        }
    }
}
