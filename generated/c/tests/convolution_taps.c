/* Walks over the taps of a convolution, channel by channel, in row-major order. */
#include "convolution_taps.h"

#include <stdbool.h>
#include <string.h>

#include "reference.h"

static int64_t entry(const opmill_ints *list, int32_t i, int64_t otherwise) {
    return list != NULL && list->count > 0 ? list->values[i] : otherwise;
}

convolution convolution_of(const opmill_operator *operator, const void *attributes,
                           const opmill_tensor *x, const opmill_tensor *w, const opmill_tensor *y) {
    const opmill_ints *const pads = attribute_of(operator, attributes, "pads");
    const char *const auto_pad =
        *(const char *const *)attribute_of(operator, attributes, "auto_pad");
    convolution found = {.x = x, .w = w, .group = int_of(operator, attributes, "group", 1)};
    found.strides = attribute_of(operator, attributes, "strides");
    found.dilations = attribute_of(operator, attributes, "dilations");
    for (int32_t i = 2; i < x->rank; i++) {
        found.begin[i] = entry(pads, i - 2, 0);
        if (strncmp(auto_pad, "SAME", 4) == 0) {
            const int64_t missing = (y->dims[i] - 1) * entry(found.strides, i - 2, 1) +
                                    (w->dims[i] - 1) * entry(found.dilations, i - 2, 1) + 1 -
                                    x->dims[i];
            const int64_t odd = strcmp(auto_pad, "SAME_LOWER") == 0 ? 1 : 0;
            found.begin[i] = missing > 0 ? (missing + odd) / 2 : 0;
        }
    }
    return found;
}

void for_each_tap(const convolution *convolution, const int64_t *index, add_product *add,
                  void *sum) {
    const opmill_tensor *const x = convolution->x, *const w = convolution->w;
    int64_t at[OPMILL_MAX_RANK], tap[OPMILL_MAX_RANK] = {0}, dims[OPMILL_MAX_RANK];
    memcpy(dims, w->dims, (size_t)w->rank * sizeof *dims);
    dims[0] = 1; /* of the one map */
    if (dims[1] == 0) {
        return;
    }
    do {
        bool inside = true;
        at[0] = index[0];
        at[1] = index[1] / (w->dims[0] / convolution->group) * w->dims[1] + tap[1];
        for (int32_t i = 2; i < x->rank; i++) {
            at[i] = index[i] * entry(convolution->strides, i - 2, 1) +
                    tap[i] * entry(convolution->dilations, i - 2, 1) - convolution->begin[i];
            inside = inside && at[i] >= 0 && at[i] < x->dims[i];
        }
        tap[0] = index[1];
        add(sum, inside ? position_of(at, x->dims, x->rank) : -1,
            position_of(tap, w->dims, w->rank));
        tap[0] = 0;
    } while (next_index(tap, dims, w->rank));
}
