/* TopK: elements become keys, of which few are kept in a heap, or many selected and sorted by their
 * digits. Neighbouring columns of an axis that is not the last are read together. */
#include "families/top_k/kernel.h"

#include <string.h>

#include "families/top_k/keys.h"
#include "families/top_k/select.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"

enum {
    BLOCK = OPMILL_ON_STACK(1024, 128), /* keys that are read at a time */
    GROUP_KEYS = 1 << 18,     /* of columns that are read together, where there are several */
    QUICK_HEAP = 16,          /* elements for which a heap is always quick */
    HEAP_SHARE = 32,          /* a heap holds at most one of as many elements, else */
    ALIGNMENT = 64,           /* of each worker's part of the workspace */
    MIN_THREAD_KEYS = 1 << 15 /* for a thread of its own */
};

typedef union block {
    uint32_t narrow[BLOCK];
    uint64_t wide[BLOCK];
} block;

typedef struct top_k_job {
    const unsigned char *in;
    unsigned char *values;
    int64_t *indices;
    top_k_keys keys;
    int64_t outer, length, inner, wanted;
    int64_t bytes;   /* of an element */
    int64_t columns; /* that are read together */
    int64_t parts;   /* of the columns of a matrix */
    bool has_heap;
    int32_t threads;
    int64_t key_bytes, pair_bytes; /* of a worker; pairs have two parts of that size */
    unsigned char *memory;
} top_k_job;

/* False where there is nothing to find. */
static bool describe(top_k_job *job, const opmill_tensor *x, int64_t wanted,
                     const opmill_top_k_plan *plan, const opmill_context *context) {
    memset(job, 0, sizeof *job);
    job->outer = job->inner = 1;
    for (int32_t i = 0; i < x->rank; i++) {
        if (x->dims[i] == 0) {
            return false;
        }
    }
    for (int32_t i = 0; i < x->rank; i++) {
        if (i < plan->axis) {
            job->outer *= x->dims[i];
        } else if (i > plan->axis) {
            job->inner *= x->dims[i];
        }
    }
    job->length = x->dims[plan->axis];
    job->wanted = wanted;
    job->bytes = opmill_type_bytes(x->type);
    job->keys =
        opmill_top_k_keys(x->type, plan->largest, job->length, opmill_isa_select(context->isa));
    job->has_heap = wanted <= QUICK_HEAP || wanted <= job->length / HEAP_SHARE;
    job->columns =
        opmill_min(opmill_min(job->inner, TOP_K_COLUMNS), opmill_max(GROUP_KEYS / job->length, 1));
    job->parts = (job->inner - 1) / job->columns + 1;
    const int64_t groups = job->outer * job->parts;
    const int64_t keys = job->outer * job->inner * job->length;
    const int64_t threads = opmill_min(context->threads, keys / MIN_THREAD_KEYS);
    job->threads = (int32_t)opmill_max(opmill_min(threads, groups), 1);
    return wanted > 0;
}

/* The workspace of a worker; false where it is more than memory can be. */
static bool measure(top_k_job *job, int64_t *bytes) {
    const int64_t key = job->keys.is_wide ? 8 : 4, pair = job->keys.is_wide ? 16 : 8;
    const bool has_keys = job->inner > 1 || !job->has_heap;
    int64_t keys, all;
    if (opmill_mul(has_keys ? job->columns * key : 0, job->length, &job->key_bytes) ||
        opmill_add(job->key_bytes, ALIGNMENT - 1, &keys) ||
        opmill_mul(job->wanted, pair, &job->pair_bytes) ||
        opmill_add(job->pair_bytes, ALIGNMENT - 1, &job->pair_bytes)) {
        return false;
    }
    job->key_bytes = keys / ALIGNMENT * ALIGNMENT;
    job->pair_bytes = job->pair_bytes / ALIGNMENT * ALIGNMENT;
    return !opmill_add(job->pair_bytes, job->has_heap ? 0 : job->pair_bytes, &all) &&
           !opmill_add(all, job->key_bytes, bytes);
}

size_t opmill_top_k_workspace_bytes(const opmill_tensor *X, const opmill_shape *Values,
                                    const opmill_shape *Indices, const opmill_top_k_plan *plan,
                                    const opmill_context *context) {
    top_k_job job;
    int64_t bytes;
    (void)Indices;
    if (!describe(&job, X, Values->dims[plan->axis], plan, context)) {
        return 0;
    }
    if (!measure(&job, &bytes) || opmill_mul(bytes, job.threads, &bytes) ||
        opmill_add(bytes, ALIGNMENT, &bytes) || (uint64_t)bytes > PTRDIFF_MAX) {
        return SIZE_MAX;
    }
    return (size_t)bytes;
}

/* The heap takes keys of a row from the workspace, or reads adjacent elements in blocks. */
static void fill_heap(const top_k_job *job, const unsigned char *from, const void *keys,
                      top_k_heap *heap) {
    block read;
    if (keys != NULL) {
        opmill_top_k_offer(heap, &job->keys, keys, 0, job->length);
        return;
    }
    for (int64_t i = 0; i < job->length; i += BLOCK) {
        const int64_t count = opmill_min(BLOCK, job->length - i);
        job->keys.read(from + i * job->bytes, count, &job->keys, &read);
        opmill_top_k_offer(heap, &job->keys, &read, i, count);
    }
}

/* `pairs` are those of a row, which begins at `from`; its results begin at `to`. */
static void write_row(const top_k_job *job, const void *pairs, int64_t from, int64_t to) {
    const size_t bytes = (size_t)job->bytes;
    for (int64_t i = 0; i < job->wanted; i++) {
        const int64_t index = opmill_top_k_index(pairs, job->keys.is_wide, i);
        const int64_t at = to + i * job->inner;
        job->indices[at] = index;
        memcpy(job->values + (size_t)at * bytes,
               job->in + (size_t)(from + index * job->inner) * bytes, bytes);
    }
}

static void run_group(void *state, int64_t task, int32_t worker) {
    const top_k_job *const job = state;
    const int64_t matrix = task / job->parts, column = task % job->parts * job->columns;
    const int64_t columns = opmill_min(job->columns, job->inner - column);
    const int64_t own = job->key_bytes + (job->has_heap ? 1 : 2) * job->pair_bytes;
    unsigned char *const keys = job->memory + worker * own;
    unsigned char *const pairs = keys + job->key_bytes;
    const int64_t from = matrix * job->length * job->inner + column;
    const unsigned char *const first = job->in + from * job->bytes;
    if (job->inner > 1) {
        opmill_top_k_read_columns(&job->keys, first, job->inner * job->bytes, job->length, columns,
                                  keys);
    } else if (!job->has_heap) {
        job->keys.read(first, job->length, &job->keys, keys);
    }
    for (int64_t k = 0; k < columns; k++) {
        const void *const row = keys + k * job->length * (job->keys.is_wide ? 8 : 4);
        const void *found = pairs;
        if (job->has_heap) {
            top_k_heap heap = {pairs, job->wanted, 0};
            fill_heap(job, first, job->inner > 1 ? row : NULL, &heap);
            opmill_top_k_sort_heap(&heap, job->keys.is_wide);
        } else {
            found = opmill_top_k_select(&job->keys, row, job->length, job->wanted, pairs,
                                        pairs + job->pair_bytes);
        }
        write_row(job, found, from + k, matrix * job->wanted * job->inner + column + k);
    }
}

int opmill_top_k_compute(const opmill_tensor *X, opmill_tensor *Values, opmill_tensor *Indices,
                         const opmill_top_k_plan *plan, opmill_context *context) {
    top_k_job job;
    int64_t bytes;
    if (!describe(&job, X, Values->dims[plan->axis], plan, context) || !measure(&job, &bytes)) {
        return OPMILL_OK;
    }
    job.in = X->data;
    job.values = Values->data;
    job.indices = Indices->data;
    job.memory = context->workspace;
    job.memory += (size_t)(-(uintptr_t)job.memory % ALIGNMENT);
    opmill_parallel(job.outer * job.parts, job.threads, run_group, &job);
    return OPMILL_OK;
}
