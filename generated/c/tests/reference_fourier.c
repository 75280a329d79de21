/* Each result is a sum of all numbers, in double. */
#include <math.h>

#include "reference.h"
#include "values.h"

typedef struct line {
    const opmill_tensor *x, *window;
    int64_t begin, stride; /* in numbers */
    int64_t taken, length;
    int parts;
    bool inverse, halved;
} line;

/* A part of number k, of those that zeros extend; of half a spectrum, of the whole one. */
static double number(const line *at, int64_t k, int part) {
    const int64_t mirrored = at->halved && 2 * k > at->length ? at->length - k : k;
    const double sign = mirrored != k && part == 1 ? -1 : 1;
    if (mirrored >= at->taken || part >= at->parts) {
        return 0;
    }
    if (at->halved && part == 1 && 2 * mirrored % at->length == 0) {
        return 0;
    }
    const int64_t element = (at->begin + mirrored * at->stride) * at->parts + part;
    const double weight = at->window != NULL ? get_real(at->window->data, at->x->type, k) : 1;
    return sign * weight * get_real(at->x->data, at->x->type, element);
}

static void sum(const line *at, int64_t bin, double *real, double *imaginary) {
    bool finite = true;
    *real = *imaginary = 0;
    for (int64_t k = 0; k < at->length; k++) {
        const double re = number(at, k, 0), im = number(at, k, 1);
        const double turn = (double)(k * bin % at->length) / (double)at->length;
        const double angle = (at->inverse ? 1 : -1) * 2 * 3.14159265358979323846 * turn;
        finite = finite && isfinite(re) && isfinite(im);
        *real += re * cos(angle) - im * sin(angle);
        *imaginary += re * sin(angle) + im * cos(angle);
    }
    if (at->inverse) {
        *real /= (double)at->length;
        *imaginary /= (double)at->length;
    }
    *real = finite ? *real : (double)NAN;
    *imaginary = finite ? *imaginary : (double)NAN;
}

static int64_t scalar(const opmill_tensor *x) {
    return x->type == 6 ? ((const int32_t *)x->data)[0] : ((const int64_t *)x->data)[0];
}

void reference_fourier(const opmill_operator *operator, const opmill_tensor *const *inputs,
                       int32_t input_count, const void *attributes,
                       const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const opmill_tensor *const second = input_count > 1 ? inputs[1] : NULL;
    const opmill_tensor *const third = input_count > 2 ? inputs[2] : NULL;
    const bool frames = attribute_of(operator, attributes, "inverse") == NULL;
    const bool inverse = int_of(operator, attributes, "inverse", 0) != 0;
    const bool onesided = int_of(operator, attributes, "onesided", 0) != 0;
    const int parts = frames && x->rank == 2 ? 1 : (int)x->dims[x->rank - 1];
    const int out_parts = (int)y->dims[y->rank - 1];
    int64_t axis = int_of(operator, attributes, "axis", -2), step = 0;
    line at = {x, NULL, 0, 1, 0, 0, parts, inverse, onesided && inverse};
    (void)output_count;
    if (frames) {
        axis = 1;
        step = scalar(second);
        at.window = third;
        at.length = input_count > 3 && inputs[3] != NULL ? scalar(inputs[3])
                    : third != NULL                      ? third->dims[0]
                                                         : x->dims[1];
    } else {
        axis = third != NULL ? scalar(third) : axis;
        axis += axis < 0 ? x->rank : 0;
        at.length = second != NULL ? scalar(second)
                    : at.halved    ? 2 * (x->dims[axis] - 1)
                                   : x->dims[axis];
    }
    for (int32_t i = (int32_t)axis + 1; i < x->rank - 1; i++) {
        at.stride *= x->dims[i];
    }
    const int64_t bins = y->dims[frames ? 2 : axis], size = x->dims[axis];
    const int64_t each = frames ? y->dims[1] : 1; /* frames of a line of the signal */
    const int64_t wanted = at.halved ? at.length / 2 + 1 : at.length;
    at.taken = size < wanted ? size : wanted;
    for (int64_t i = 0; i < count_of(y->dims, y->rank) / out_parts; i++) {
        const int64_t column = i % at.stride, bin = i / at.stride % bins;
        const int64_t row = i / at.stride / bins;
        double real, imaginary;
        at.begin = (row / each * size + row % each * step) * at.stride + column;
        sum(&at, bin, &real, &imaginary);
        set_real(y->data, y->type, i * out_parts, real);
        if (out_parts == 2) {
            set_real(y->data, y->type, i * 2 + 1, imaginary);
        }
    }
}
