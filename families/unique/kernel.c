/* Unique: items, which are elements or slices along an axis, are sorted once, to measure; where
 * groups of equal items begin remains in the workspace, from which the outputs are written. */
#include "families/unique/kernel.h"

#include <string.h>

#include "families/unique/order.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/copy/slices.h"
#include "runtime/call/workspace.h"

/* The workspace has three words for each item, or as many as sorting needs. */
enum { ENTRY, NUMBER, FIRST, LISTS };

static unique_items describe(const opmill_tensor *X, const opmill_unique_plan *plan) {
    unique_items items = {X->data, X->type, opmill_type_bytes(X->type), 1, 1, 1, plan->flat};
    const int32_t axis = (int32_t)plan->axis;
    for (int32_t i = 0; i < X->rank; i++) {
        if (plan->flat || i == axis) {
            items.count *= X->dims[i];
        } else if (i < axis) {
            items.outer *= X->dims[i];
        } else {
            items.inner *= X->dims[i];
        }
    }
    return items;
}

/* Whether there is nothing to sort: no item, or none with an element. */
static bool is_trivial(const unique_items *items) {
    return items->count == 0 || items->outer == 0 || items->inner == 0;
}

size_t opmill_unique_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                     const opmill_shape *indices,
                                     const opmill_shape *inverse_indices,
                                     const opmill_shape *counts, const opmill_unique_plan *plan,
                                     const opmill_context *context) {
    const unique_items items = describe(X, plan);
    const int64_t words = opmill_max(opmill_unique_words(&items), LISTS);
    int64_t bytes;
    (void)Y;
    (void)indices;
    (void)inverse_indices;
    (void)counts;
    (void)context;
    if (is_trivial(&items)) {
        return 0;
    }
    if (opmill_mul(items.count, words * (int64_t)sizeof(uint64_t), &bytes)) {
        return SIZE_MAX;
    }
    return opmill_workspace_size((uint64_t)bytes);
}

int opmill_unique_measure(const opmill_tensor *X, opmill_shape *Y, opmill_shape *indices,
                          opmill_shape *inverse_indices, opmill_shape *counts,
                          const opmill_unique_plan *plan, opmill_context *context) {
    const unique_items items = describe(X, plan);
    int64_t found = opmill_min(items.count, 1);
    (void)inverse_indices;
    if (!is_trivial(&items)) {
        uint64_t *const words = opmill_workspace_begin(context->workspace);
        opmill_unique_order(&items, words);
        found = 0;
        for (int64_t i = 0; i < items.count; i++) {
            found += (words[i] & UNIQUE_STARTS) != 0;
        }
    }
    Y->dims[plan->axis] = found;
    if (indices != NULL) {
        indices->dims[0] = found;
    }
    if (counts != NULL) {
        counts->dims[0] = found;
    }
    return OPMILL_OK;
}

static int64_t *data_of(opmill_tensor *output) { return output == NULL ? NULL : output->data; }

/* All items are equal, and have no elements. */
static void write_trivial(int64_t count, int64_t *indices, int64_t *inverse, int64_t *counts) {
    if (count == 0) {
        return;
    }
    if (indices != NULL) {
        indices[0] = 0;
    }
    if (counts != NULL) {
        counts[0] = count;
    }
    if (inverse != NULL) {
        memset(inverse, 0, (size_t)count * sizeof *inverse);
    }
}

/* The number of each group by its first item, in the order in which groups occur. */
static void number_groups(const uint64_t *entries, int64_t count, uint64_t *numbers) {
    const uint64_t none = UINT64_MAX;
    uint64_t next = 0;
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = none;
    }
    for (int64_t i = 0; i < count; i++) {
        if ((entries[i] & UNIQUE_STARTS) != 0) {
            numbers[entries[i] & ~UNIQUE_STARTS] = 0;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = numbers[i] == none ? none : next++;
    }
}

int opmill_unique_compute(const opmill_tensor *X, opmill_tensor *Y, opmill_tensor *indices,
                          opmill_tensor *inverse_indices, opmill_tensor *counts,
                          const opmill_unique_plan *plan, opmill_context *context) {
    const unique_items items = describe(X, plan);
    int64_t *const first_out = data_of(indices), *const inverse = data_of(inverse_indices);
    int64_t *const sizes = data_of(counts);
    if (is_trivial(&items)) {
        write_trivial(items.count, first_out, inverse, sizes);
        return OPMILL_OK;
    }
    uint64_t *const words = opmill_workspace_begin(context->workspace);
    const uint64_t *const entries = words + ENTRY * items.count;
    uint64_t *const numbers = words + NUMBER * items.count;
    int64_t *const first = (int64_t *)(void *)(words + FIRST * items.count);
    int64_t group = -1;
    if (!plan->ascending) {
        number_groups(entries, items.count, numbers);
    }
    for (int64_t i = 0, begun = 0; i < items.count; i++) {
        const int64_t item = (int64_t)(entries[i] & ~UNIQUE_STARTS);
        if ((entries[i] & UNIQUE_STARTS) != 0) { /* of equal items the first one comes first */
            group = plan->ascending ? begun++ : (int64_t)numbers[item];
            first[group] = item;
            if (sizes != NULL) {
                sizes[group] = 0;
            }
        }
        if (inverse != NULL) {
            inverse[item] = group;
        }
        if (sizes != NULL) {
            sizes[group]++;
        }
    }
    const int64_t found = Y->dims[plan->axis], slice = items.inner * items.bytes;
    if (first_out != NULL) {
        memcpy(first_out, first, (size_t)found * sizeof *first);
    }
    for (int64_t o = 0; o < items.outer; o++) {
        opmill_move_slices((unsigned char *)Y->data + o * found * slice,
                           items.data + o * items.count * slice, first, found, slice);
    }
    return OPMILL_OK;
}
