/* Each item is compared with all before it; groups are then put in order one by one. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

typedef struct items {
    const opmill_tensor *x;
    int64_t outer, count, inner;
} items;

/* Element `i` in parts that compare as numbers do: whether it is NaN, and the number's sign. */
static int compare_elements(const opmill_tensor *x, int64_t a, int64_t b, bool *nan) {
    if (x->type == OPMILL_STRING) {
        return strcmp(((const char *const *)x->data)[a], ((const char *const *)x->data)[b]);
    }
    const size_t bytes = type_bytes(x->type, 1);
    uint64_t p = 0, q = 0;
    switch (x->type) {
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16:
    case OPMILL_FLOAT:
    case OPMILL_DOUBLE:
    case OPMILL_COMPLEX64:
    case OPMILL_COMPLEX128: {
        const int parts = type_parts(x->type);
        bool left = false, right = false;
        for (int part = 0; part < parts; part++) {
            const double u = get_real(x->data, x->type, parts * a + part);
            const double v = get_real(x->data, x->type, parts * b + part);
            left = left || u != u;
            right = right || v != v;
        }
        *nan = *nan || left;
        if (left || right) {
            return (int)left - (int)right;
        }
        for (int part = 0; part < parts; part++) {
            const double u = get_real(x->data, x->type, parts * a + part);
            const double v = get_real(x->data, x->type, parts * b + part);
            if (u != v) {
                return u < v ? -1 : 1;
            }
        }
        return 0;
    }
    case OPMILL_INT8:
    case OPMILL_INT16:
    case OPMILL_INT32:
    case OPMILL_INT64: {
        int64_t values[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            const int64_t i = k == 0 ? a : b;
            values[k] = bytes == 1   ? ((const int8_t *)x->data)[i]
                        : bytes == 2 ? ((const int16_t *)x->data)[i]
                        : bytes == 4 ? ((const int32_t *)x->data)[i]
                                     : ((const int64_t *)x->data)[i];
        }
        return (values[0] > values[1]) - (values[0] < values[1]);
    }
    default:
        for (int k = 0; k < 2; k++) {
            const int64_t i = k == 0 ? a : b;
            const uint64_t value = bytes == 1   ? ((const uint8_t *)x->data)[i]
                                   : bytes == 2 ? ((const uint16_t *)x->data)[i]
                                   : bytes == 4 ? ((const uint32_t *)x->data)[i]
                                                : ((const uint64_t *)x->data)[i];
            *(k == 0 ? &p : &q) = x->type == OPMILL_BOOL ? value != 0 : value;
        }
        return (p > q) - (p < q);
    }
}

static int compare_items(const items *all, int64_t a, int64_t b, bool *nan) {
    *nan = false;
    for (int64_t o = 0; o < all->outer; o++) {
        for (int64_t k = 0; k < all->inner; k++) {
            const int64_t row = o * all->count;
            const int order = compare_elements(all->x, (row + a) * all->inner + k,
                                               (row + b) * all->inner + k, nan);
            if (order != 0) {
                return order;
            }
        }
    }
    return 0;
}

void reference_unique(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes,
                      const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    const bool in_order = strcmp(operator->domain, "com.microsoft") == 0; /* no positions */
    const bool ascending = !in_order && int_of(operator, attributes, "sorted", 1) != 0;
    const int64_t axis =
        in_order ? 0 : axis_of(operator, attributes, x->rank, INT64_MIN); /* negative: none */
    items all = {x, 1, 1, 1};
    (void)input_count;
    for (int32_t i = 0; i < x->rank; i++) {
        *(axis < 0 || i == axis ? &all.count : i < axis ? &all.outer : &all.inner) *= x->dims[i];
    }
    const bool flat = axis < 0 || (x->rank == 1 && !in_order);
    const int32_t inverse_at = in_order ? 1 : 2, counts_at = inverse_at + 1;
    int64_t *const first = malloc(((size_t)all.count + 1) * sizeof *first);
    int64_t *const group = malloc(((size_t)all.count + 1) * sizeof *group);
    int64_t groups = 0;
    bool nan;
    if (first == NULL || group == NULL) {
        abort();
    }
    for (int64_t i = 0; i < all.count; i++) {
        group[i] = -1;
        for (int64_t g = 0; g < groups && group[i] < 0; g++) {
            if (compare_items(&all, first[g], i, &nan) == 0 && (flat || !nan)) {
                group[i] = g;
            }
        }
        if (group[i] < 0) {
            first[groups] = i;
            group[i] = groups++;
        }
    }
    for (int64_t g = 0; g < groups; g++) { /* after all that come before it */
        int64_t position = 0, count = 0;
        for (int64_t h = 0; h < groups; h++) {
            const int order = compare_items(&all, first[h], first[g], &nan);
            position += ascending ? order < 0 || (order == 0 && h < g) : h < g;
        }
        for (int64_t i = 0; i < all.count; i++) {
            if (group[i] == g) {
                count++;
                if (output_count > inverse_at && outputs[inverse_at] != NULL) {
                    ((int64_t *)outputs[inverse_at]->data)[i] = position;
                }
            }
        }
        if (!in_order && output_count > 1 && outputs[1] != NULL) {
            ((int64_t *)outputs[1]->data)[position] = first[g];
        }
        if (output_count > counts_at && outputs[counts_at] != NULL) {
            ((int64_t *)outputs[counts_at]->data)[position] = count;
        }
        for (int64_t o = 0; o < all.outer; o++) {
            for (int64_t k = 0; k < all.inner; k++) {
                copy_element(outputs[0], (o * groups + position) * all.inner + k, x,
                             (o * all.count + first[g]) * all.inner + k);
            }
        }
    }
    free(first);
    free(group);
}
