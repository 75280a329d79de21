/* ZipMap: all maps share their keys, the sorted labels without those that occur again. One block
 * has the keys and, of each row, the map and its values. */
#include "families/zip_map/kernel.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/call/block.h"
#include "runtime/numbers/integers.h"

/* What the maps share; the order of the columns and the keys follow. */
typedef struct shared {
    opmill_tensor keys;
    int64_t part_count;
    int64_t key_count;
} shared;

/* A map and its values, whose elements are located behind all rows. */
typedef struct row {
    opmill_tensor map;
    opmill_tensor values;
    const opmill_tensor *parts[2];
} row;

/* Pointers, where they have 32 bits, take the place of 64 too. */
enum { KEY_BYTES = 8, ALIGNMENT = 16 };

static const opmill_tensor *labels_of(const opmill_zip_map_plan *plan) {
    return plan->classlabels_int64s.type == OPMILL_INT64 ? &plan->classlabels_int64s
                                                         : &plan->classlabels_strings;
}

int opmill_zip_map_shapes(const opmill_tensor *X, opmill_shape *Z, const opmill_zip_map_plan *plan,
                          opmill_context *context) {
    const bool are_strings = labels_of(plan)->type == OPMILL_STRING;
    (void)context;
    Z->type = OPMILL_SEQUENCE + (are_strings ? OPMILL_MAP_STRING : OPMILL_MAP_INT64) + OPMILL_FLOAT;
    Z->rank = 1;
    Z->dims[0] = X->rank == 2 ? X->dims[0] : 1;
    return OPMILL_OK;
}

/* True if the label of a column comes before that of another one; of equal labels, the column. */
static bool is_before(const opmill_tensor *labels, int64_t a, int64_t b) {
    if (labels->type == OPMILL_STRING) {
        const char *const *const strings = labels->data;
        const int order = strcmp(strings[a], strings[b]);
        return order != 0 ? order < 0 : a < b;
    }
    const int64_t *const integers = labels->data;
    return integers[a] != integers[b] ? integers[a] < integers[b] : a < b;
}

static bool are_equal(const opmill_tensor *labels, int64_t a, int64_t b) {
    return labels->type == OPMILL_STRING
               ? strcmp(((const char *const *)labels->data)[a],
                        ((const char *const *)labels->data)[b]) == 0
               : ((const int64_t *)labels->data)[a] == ((const int64_t *)labels->data)[b];
}

/* Moves a column down the heap whose top is the last one of all. */
static void sift(const opmill_tensor *labels, int64_t *heap, int64_t count, int64_t at) {
    const int64_t column = heap[at];
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && is_before(labels, heap[child], heap[child + 1])) {
            child++;
        }
        if (!is_before(labels, column, heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = column;
}

/* The columns by ascending labels, the last column of each; returns their number. */
static int64_t order_columns(const opmill_tensor *labels, int64_t *columns) {
    const int64_t count = labels->dims[0];
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        columns[i] = i;
    }
    for (int64_t i = count / 2 - 1; i >= 0; i--) {
        sift(labels, columns, count, i);
    }
    for (int64_t end = count - 1; end > 0; end--) {
        const int64_t last = columns[0];
        columns[0] = columns[end];
        columns[end] = last;
        sift(labels, columns, end, 0);
    }
    for (int64_t i = 0; i < count; i++) {
        if (i + 1 == count || !are_equal(labels, columns[i], columns[i + 1])) {
            columns[kept++] = columns[i];
        }
    }
    return kept;
}

/* Bytes of the block, with those that align it; SIZE_MAX where that is larger. */
static size_t block_bytes(int64_t rows, int64_t columns) {
    int64_t bytes, of_row, of_keys;
    if (opmill_mul(columns, (int64_t)sizeof(float), &of_row) ||
        opmill_add(of_row, (int64_t)sizeof(row), &of_row) || opmill_mul(rows, of_row, &bytes) ||
        opmill_mul(columns, KEY_BYTES + (int64_t)sizeof(int64_t), &of_keys) ||
        opmill_add(bytes, of_keys, &bytes) ||
        opmill_add(bytes, (int64_t)sizeof(shared) + 2 * ALIGNMENT, &bytes) || bytes > PTRDIFF_MAX) {
        return SIZE_MAX;
    }
    return (size_t)bytes;
}

static unsigned char *aligned(unsigned char *at) {
    const size_t past = (uintptr_t)at % ALIGNMENT;
    return past > 0 ? at + (ALIGNMENT - past) : at;
}

/* Sets the keys of all maps. */
static void set_keys(shared *all, const opmill_tensor *labels, int64_t *columns, void *keys) {
    all->part_count = 2;
    all->key_count = order_columns(labels, columns);
    all->keys = (opmill_tensor){keys, &all->key_count, 1, labels->type};
    for (int64_t i = 0; i < all->key_count; i++) {
        if (labels->type == OPMILL_STRING) {
            ((const char **)keys)[i] = ((const char *const *)labels->data)[columns[i]];
        } else {
            ((int64_t *)keys)[i] = ((const int64_t *)labels->data)[columns[i]];
        }
    }
}

int opmill_zip_map_compute(const opmill_tensor *X, opmill_tensor *Z,
                           const opmill_zip_map_plan *plan, opmill_context *context) {
    const opmill_tensor *const labels = labels_of(plan);
    const int64_t rows = Z->dims[0], count = labels->dims[0];
    const float *from = X->data;
    const opmill_tensor **const maps = Z->data;
    void *block;
    const int code =
        opmill_block_tensors(context, "Z", rows > 0 ? block_bytes(rows, count) : 0, &block);
    if (code != OPMILL_OK || rows == 0) {
        return code;
    }
    shared *const all = (void *)aligned(block);
    int64_t *const columns = (void *)(all + 1);
    unsigned char *const keys = (unsigned char *)(columns + count);
    row *const listed = (void *)aligned(keys + (size_t)count * KEY_BYTES);
    float *values = (void *)(listed + rows);
    set_keys(all, labels, columns, keys);
    for (int64_t i = 0; i < rows; i++, from += count, values += all->key_count) {
        row *const one = &listed[i];
        for (int64_t k = 0; k < all->key_count; k++) {
            values[k] = from[columns[k]];
        }
        one->values = (opmill_tensor){values, &all->key_count, 1, OPMILL_FLOAT};
        one->parts[0] = &all->keys;
        one->parts[1] = &one->values;
        one->map = (opmill_tensor){one->parts, &all->part_count, 1, Z->type - OPMILL_SEQUENCE};
        maps[i] = &one->map;
    }
    return OPMILL_OK;
}
