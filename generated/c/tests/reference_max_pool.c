/* MaxPool, window by window: the first largest element, NaN above all, and the lowest value of the
 * type where a window has no element, which is number -1 of Indices. */
#include <math.h>
#include <string.h>

#include "opmill/operators/max_pool.h"
#include "reference.h"
#include "values.h"

enum { MAX_AXES = OPMILL_MAX_RANK - 2 };

typedef struct windows {
    int64_t kernel[MAX_AXES], stride[MAX_AXES], dilation[MAX_AXES], begin[MAX_AXES];
} windows;

static int64_t entry(const opmill_ints *list, int32_t i, int64_t otherwise) {
    return list != NULL && list->count > 0 ? list->values[i] : otherwise;
}

static void find_windows(windows *all, const opmill_operator *operator, const void *attributes,
                         const opmill_tensor *x, const opmill_tensor *y) {
    const opmill_ints *const sizes = attribute_of(operator, attributes, "kernel_shape");
    const opmill_ints *const strides = attribute_of(operator, attributes, "strides");
    const opmill_ints *const dilations = attribute_of(operator, attributes, "dilations");
    const opmill_ints *const pads = attribute_of(operator, attributes, "pads");
    const char *const auto_pad =
        *(const char *const *)attribute_of(operator, attributes, "auto_pad");
    for (int32_t i = 0; i < x->rank - 2; i++) {
        all->kernel[i] = entry(sizes, i, 1);
        all->stride[i] = entry(strides, i, 1);
        all->dilation[i] = entry(dilations, i, 1);
        all->begin[i] = entry(pads, i, 0);
        if (strncmp(auto_pad, "SAME", 4) == 0) {
            const int64_t last = (y->dims[i + 2] - 1) * all->stride[i];
            const int64_t missing =
                last + (all->kernel[i] - 1) * all->dilation[i] + 1 - x->dims[i + 2];
            const int64_t odd = strcmp(auto_pad, "SAME_LOWER") == 0 ? 1 : 0;
            all->begin[i] = missing > 0 ? (missing + odd) / 2 : 0;
        }
    }
}

static double number_at(const opmill_tensor *x, int64_t position) {
    switch (x->type) {
    case OPMILL_INT8:
        return ((const int8_t *)x->data)[position];
    case OPMILL_UINT8:
        return ((const uint8_t *)x->data)[position];
    default:
        return get_real(x->data, x->type, position);
    }
}

static bool exceeds(const opmill_tensor *x, int64_t position, int64_t best) {
    const double a = number_at(x, position), b = number_at(x, best);
    return !isnan(b) && (isnan(a) || a > b);
}

/* The number of an element where each plane is counted with its first axis as the fastest one. */
static int64_t by_column(const opmill_tensor *x, int64_t position) {
    const int64_t size = count_of(x->dims + 2, x->rank - 2);
    int64_t rest = position % size, weight = size, number = 0;
    for (int32_t i = x->rank - 1; i >= 2; i--) {
        weight /= x->dims[i];
        number += rest % x->dims[i] * weight;
        rest /= x->dims[i];
    }
    return position - position % size + number;
}

void reference_max_pool(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes,
                        const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const output = outputs[0];
    const opmill_tensor *const indices = output_count > 1 ? outputs[1] : NULL;
    const int64_t *const storage_order = attribute_of(operator, attributes, "storage_order");
    int64_t index[OPMILL_MAX_RANK] = {0}, tap[OPMILL_MAX_RANK], at[OPMILL_MAX_RANK];
    int64_t first[OPMILL_MAX_RANK], taps[OPMILL_MAX_RANK]; /* those that meet the input */
    const int32_t axes = x->rank - 2;
    int64_t element = 0;
    windows all;
    (void)input_count;
    find_windows(&all, operator, attributes, x, output);
    if (count_of(output->dims, output->rank) == 0) {
        return;
    }
    do {
        int64_t best = -1;
        bool inside = true; /* whether the window meets the input */
        memset(tap, 0, sizeof tap);
        memcpy(at, index, sizeof at);
        for (int32_t i = 0; i < axes; i++) {
            const int64_t start = index[i + 2] * all.stride[i] - all.begin[i];
            const int64_t before = start < 0 ? (-start - 1) / all.dilation[i] + 1 : 0;
            const int64_t behind =
                start < x->dims[i + 2] ? (x->dims[i + 2] - start - 1) / all.dilation[i] + 1 : 0;
            first[i] = start + before * all.dilation[i];
            taps[i] = (behind < all.kernel[i] ? behind : all.kernel[i]) - before;
            inside = inside && taps[i] > 0;
        }
        if (inside) {
            do {
                for (int32_t i = 0; i < axes; i++) {
                    at[i + 2] = first[i] + tap[i] * all.dilation[i];
                }
                const int64_t position = position_of(at, x->dims, x->rank);
                if (best < 0 || exceeds(x, position, best)) {
                    best = position;
                }
            } while (next_index(tap, taps, axes));
        }
        if (best >= 0) {
            copy_element(output, element, x, best);
        } else if (x->type == OPMILL_INT8 || x->type == OPMILL_UINT8) {
            set_whole(output->data, output->type, element, x->type == OPMILL_INT8 ? -128 : 0);
        } else {
            set_real(output->data, output->type, element, -(double)INFINITY);
        }
        if (indices != NULL) {
            const bool by_columns = storage_order != NULL && *storage_order != 0;
            ((int64_t *)indices->data)[element] =
                best >= 0 && by_columns ? by_column(x, best) : best;
        }
        element++;
    } while (next_index(index, output->dims, output->rank));
}
