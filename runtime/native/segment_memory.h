/* Places the values of a segment in scratch memory: values that live at the same time lie apart. */
#ifndef OPMILL_NATIVE_SEGMENT_MEMORY_H
#define OPMILL_NATIVE_SEGMENT_MEMORY_H

#include "segment.h"

typedef struct piece {
    size_t offset, bytes;
    int32_t last;
} piece;

/* The lowest offset with so many free bytes. The pieces are in order of their offsets; `index` is
 * the position for a new one. */
static size_t lowest_gap(const piece *pieces, int32_t count, size_t bytes, int32_t *index) {
    size_t offset = 0;
    for (*index = 0; *index < count; ++*index) {
        const piece *next = &pieces[*index];
        if (next->offset >= offset + bytes) {
            break;
        }
        offset = next->offset + next->bytes;
    }
    return offset;
}

/* Sets the last reader of each root, and the offsets in scratch memory. */
static bool plan_memory(Segment *segment) {
    piece *pieces = PyMem_Malloc((size_t)segment->slot_count * sizeof *pieces + 1);
    int32_t count = 0;
    if (pieces == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (int32_t k = 0; k < segment->node_count; k++) {
        const node *call = &segment->nodes[k];
        for (int32_t i = 0; i < call->input_count; i++) {
            if (call->inputs[i] >= 0) {
                segment->slots[segment->slots[call->inputs[i]].root].last = k;
            }
        }
    }
    for (int32_t k = 0; k < segment->node_count; k++) {
        const node *call = &segment->nodes[k];
        int32_t left = 0;
        for (int32_t i = 0; i < count; i++) {
            if (pieces[i].last >= k) {
                pieces[left++] = pieces[i];
            }
        }
        count = left;
        for (int32_t i = 0; i < call->output_count; i++) {
            slot *one = &segment->slots[call->outputs[i]];
            if (one->where != IN_SCRATCH) {
                continue;
            }
            int32_t index;
            const size_t bytes =
                (one->bytes + SCRATCH_ALIGNMENT) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
            one->offset = lowest_gap(pieces, count, bytes, &index);
            memmove(&pieces[index + 1], &pieces[index], (size_t)(count - index) * sizeof *pieces);
            pieces[index] = (piece){one->offset, bytes, one->last > k ? one->last : k};
            count++;
            if (one->offset + bytes > segment->value_bytes) {
                segment->value_bytes = one->offset + bytes;
            }
        }
        if (call->workspace > segment->workspace) {
            segment->workspace = call->workspace;
        }
    }
    PyMem_Free(pieces);
    for (int32_t i = 0; i < segment->slot_count; i++) {
        segment->slots[i].offset = segment->slots[segment->slots[i].root].offset;
    }
    segment->workspace =
        (segment->workspace + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
    return true;
}

#endif
