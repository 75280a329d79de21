/* Gathers the input of a deformable convolution for one kernel element: computes the sampled
 * positions from the offsets, interpolates linearly between the corners of the cell and applies the
 * mask. */
#include "families/deform_conv/gather.h"

#include <math.h>

#include "runtime/numbers/reals.h"

/* The position along an axis of what the element of the kernels takes for position `at` of the
 * output. */
static double position_on(const deform_source *source, const deform_part *part, int32_t axis,
                          int64_t at, int64_t tap_index, int64_t out_index) {
    const int64_t row = (part->n * source->offset_groups + part->group) * source->taps + part->tap;
    const int64_t position = (row * source->axes + axis) * source->positions + at;
    const int64_t start = out_index * source->strides[axis] - source->begin[axis] +
                          tap_index * source->dilations[axis];
    return (double)start + opmill_real_at(source->offset->data, source->offset->type, position);
}

/* Adds an axis to the corner `upper` of every position: an element, and a factor of its weight. */
static void add_axis(const deform_source *source, const deform_part *part, int32_t axis,
                     int64_t tap_index, int64_t upper) {
    const int64_t size = source->sizes[axis];
    int64_t inner = 1;
    for (int32_t i = axis + 1; i < source->axes; i++) {
        inner *= source->out[i];
    }
    for (int64_t i = 0; i < part->count; i++) {
        const int64_t at = part->first + i;
        const int64_t out_index = at / inner % source->out[axis];
        const double x = position_on(source, part, axis, at, tap_index, out_index);
        double weight = 0;
        int64_t element = 0;
        if (x > -1 && x < (double)size) { /* no NaN is */
            const int64_t low = (int64_t)floor(x);
            element = size == 1 ? 0 : low + upper; /* of one element, before or behind x */
            weight = 1 - fabs(x - (double)element);
            weight = element < 0 || element >= size ? 0 : weight;
            element = weight == 0 ? 0 : element;
        }
        part->offsets[i] += element * source->steps[axis];
        part->weights[i] *= weight;
    }
}

/* A weight of 0 does not look at its element, which may be a NaN. */
#define DEFINE_ADD(name, type, real, LOAD)                                                     \
    static void add_##name(const deform_part *part, const void *image, void *row) {            \
        const type *const from = image;                                                        \
        real *const to = row;                                                                  \
        for (int64_t i = 0; i < part->count; i++) {                                            \
            const real weight = (real)part->weights[i];                                        \
            const real product = LOAD(from[part->offsets[i]]) * weight;                        \
            to[i] += weight != 0 ? product : 0;                                                \
        }                                                                                      \
    }
#define AS_IT_IS(x) (x)
DEFINE_ADD(float, float, float, AS_IT_IS)
DEFINE_ADD(double, double, double, AS_IT_IS)
DEFINE_ADD(float16, uint16_t, float, opmill_float16_to_float)
DEFINE_ADD(bfloat16, uint16_t, float, opmill_bfloat16_to_float)

static void add_corner(const deform_source *source, const deform_part *part, int64_t channel,
                       void *row) {
    const int64_t at = (part->n * source->x->dims[1] + channel) * source->pixels;
    switch (source->x->type) {
    case OPMILL_FLOAT:
        add_float(part, (const float *)source->x->data + at, row);
        break;
    case OPMILL_DOUBLE:
        add_double(part, (const double *)source->x->data + at, row);
        break;
    case OPMILL_FLOAT16:
        add_float16(part, (const uint16_t *)source->x->data + at, row);
        break;
    default:
        add_bfloat16(part, (const uint16_t *)source->x->data + at, row);
        break;
    }
}

static void *row_of(const deform_source *source, const deform_part *part, int64_t row,
                    void *columns) {
    const int64_t at = (row * source->taps + part->tap) * part->pitch;
    return source->wide ? (void *)((double *)columns + at) : (void *)((float *)columns + at);
}

static void clear(const deform_source *source, const deform_part *part, void *row) {
    for (int64_t i = 0; i < part->count; i++) {
        if (source->wide) {
            ((double *)row)[i] = 0;
        } else {
            ((float *)row)[i] = 0;
        }
    }
}

static void multiply(const deform_source *source, const deform_part *part, void *row) {
    const int64_t group = (part->n * source->offset_groups + part->group) * source->taps;
    const int64_t at = (group + part->tap) * source->positions + part->first;
    for (int64_t i = 0; i < part->count; i++) {
        const double factor = opmill_real_at(source->mask->data, source->mask->type, at + i);
        if (source->wide) {
            ((double *)row)[i] *= factor;
        } else {
            ((float *)row)[i] *= (float)factor;
        }
    }
}

void opmill_deform_gather(const deform_source *source, const deform_part *part,
                          int64_t first_channel, void *columns) {
    int64_t corners = source->pixels > 0 ? 1 : 0; /* at most the pixels */
    for (int64_t c = part->begin; c < part->end; c++) {
        clear(source, part, row_of(source, part, c - first_channel, columns));
    }
    for (int32_t a = 0; a < source->axes; a++) {
        corners *= source->sizes[a] > 1 ? 2 : 1;
    }
    for (int64_t corner = 0; corner < corners; corner++) {
        int64_t rest = corner, tap = part->tap;
        for (int64_t i = 0; i < part->count; i++) {
            part->offsets[i] = 0;
            part->weights[i] = 1;
        }
        for (int32_t a = source->axes - 1; a >= 0; a--) {
            const int64_t sides = source->sizes[a] > 1 ? 2 : 1;
            add_axis(source, part, a, tap % source->kernel[a], rest % sides);
            rest /= sides;
            tap /= source->kernel[a];
        }
        for (int64_t c = part->begin; c < part->end; c++) {
            add_corner(source, part, c, row_of(source, part, c - first_channel, columns));
        }
    }
    for (int64_t c = part->begin; source->mask != NULL && c < part->end; c++) {
        multiply(source, part, row_of(source, part, c - first_channel, columns));
    }
}
