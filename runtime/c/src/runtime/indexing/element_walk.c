/* Merges the axes of GatherElements and ScatterElements and visits the rows of indices, with the
 * element of data that each row starts from. */
#include "runtime/indexing/element_walk.h"

#include <stdbool.h>

/* Adds an axis inward of the others; what is next to the one before is joined with it. */
static void add_axis(opmill_element_walk *walk, int64_t size, int64_t stride) {
    opmill_walk_axis *const last = &walk->axes[walk->count - (walk->count > 0)];
    if (size == 1) {
        return;
    }
    if (walk->count > 0 && stride > 0 && last->stride == stride * size) {
        last->size *= size;
        last->stride = stride;
    } else {
        walk->axes[walk->count++] = (opmill_walk_axis){size, stride};
    }
}

void opmill_walk_begin(opmill_element_walk *walk, const opmill_tensor *data,
                       const opmill_tensor *indices, int32_t axis) {
    int64_t strides[OPMILL_MAX_RANK] = {0};
    int64_t stride = 1;
    opmill_indices_begin(&walk->indices, indices, data, axis, 1);
    walk->count = 0;
    walk->rows = 0;
    walk->group = 1;
    walk->row = walk->step = walk->stride = 0;
    if (walk->indices.count == 0) {
        return;
    }
    for (int32_t i = data->rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= data->dims[i];
    }
    walk->stride = strides[axis];
    for (int32_t i = 0; i < data->rank; i++) {
        add_axis(walk, indices->dims[i], i == axis ? 0 : strides[i]);
    }
    walk->row = 1;
    if (walk->count > 0) { /* rows follow the innermost axis, which may be that of the indices */
        const opmill_walk_axis *const row = &walk->axes[--walk->count];
        walk->row = row->size;
        walk->step = row->stride;
    }
    walk->rows = 1;
    for (int32_t i = 0; i < walk->count; i++) {
        const bool inside = walk->axes[i].stride == 0 || walk->group > 1;
        walk->rows *= walk->axes[i].size;
        walk->group *= inside ? walk->axes[i].size : 1;
    }
}

/* The element that a row begins at with offset 0. */
static int64_t place_row(const opmill_element_walk *walk, int64_t row, int64_t *index) {
    int64_t base = 0;
    for (int32_t i = walk->count - 1; i >= 0; i--) {
        index[i] = row % walk->axes[i].size;
        row /= walk->axes[i].size;
        base += index[i] * walk->axes[i].stride;
    }
    return base;
}

static int64_t next_row(const opmill_element_walk *walk, int64_t base, int64_t *index) {
    for (int32_t i = walk->count - 1; i >= 0; i--) {
        base += walk->axes[i].stride;
        if (++index[i] < walk->axes[i].size) {
            return base;
        }
        base -= walk->axes[i].size * walk->axes[i].stride;
        index[i] = 0;
    }
    return base;
}

void opmill_walk_rows(const opmill_element_walk *walk, int64_t first, int64_t end, int64_t from,
                      int64_t to, opmill_visit *visit, void *state) {
    const bool whole = from == 0 && to == walk->row;
    int64_t index[OPMILL_MAX_RANK], offsets[OPMILL_INDEX_BLOCK];
    int64_t base = place_row(walk, first, index);
    int64_t read = 0, used = 0; /* offsets; of whole rows a block holds several */
    for (int64_t row = first; row < end; row++) {
        int64_t here;
        for (int64_t at = from; at < to; at += here) {
            const int64_t position = row * walk->row + at;
            if (used == read) {
                const int64_t left = whole ? end * walk->row - position : to - at;
                read = left < OPMILL_INDEX_BLOCK ? left : (int64_t)OPMILL_INDEX_BLOCK;
                used = 0;
                opmill_indices_read(&walk->indices, position, read, offsets);
            }
            here = to - at < read - used ? to - at : read - used;
            visit(walk, state, position, base + at * walk->step, offsets + used, here);
            used += here;
        }
        base = next_row(walk, base, index);
    }
}
