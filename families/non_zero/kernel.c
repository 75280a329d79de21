/* NonZero: the tensor is scanned twice, once to count and once to write the indices. Large tensors
 * are scanned in chunks by several threads; the workspace holds how many elements each chunk has.
 */
#include "families/non_zero/kernel.h"

#include <string.h>

#include "families/non_zero/scan.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/call/rules.h"

/* Smaller chunks cost more than they give; each thread has several, since elements that are not
 * zero may lie close together. */
enum { MIN_CHUNK = 1 << 15, CHUNKS_PER_THREAD = 8 };

typedef struct non_zero_problem {
    non_zero_scan scan;
    const opmill_tensor *X;
    int64_t size;
    int64_t chunk; /* elements of a chunk */
    int64_t chunks;
    int32_t threads;
    unsigned char *counts; /* an int64_t for each chunk, at any address */
    opmill_tensor *Y;
} non_zero_problem;

static int64_t size_of(const opmill_tensor *tensor) {
    int64_t size = 1;
    for (int32_t i = 0; i < tensor->rank; i++) {
        size *= tensor->dims[i];
    }
    return size;
}

static non_zero_problem describe(const opmill_tensor *X, opmill_tensor *Y,
                                 const opmill_context *context) {
    non_zero_problem problem = {.X = X, .Y = Y, .size = size_of(X), .counts = context->workspace};
    problem.scan = opmill_non_zero_scan(X->type, opmill_isa_select(context->isa));
    problem.threads = context->threads > 1 ? context->threads : 1;
    problem.chunk = problem.size / ((int64_t)problem.threads * CHUNKS_PER_THREAD) + 1;
    if (problem.chunk < MIN_CHUNK) {
        problem.chunk = MIN_CHUNK;
    }
    problem.chunks = problem.size / problem.chunk + (problem.size % problem.chunk != 0);
    if (problem.threads == 1 || problem.chunks < 2) {
        problem.threads = 1;
        problem.chunk = problem.size;
        problem.chunks = 1;
    }
    return problem;
}

static int64_t read_count(const non_zero_problem *from, int64_t chunk) {
    int64_t count;
    memcpy(&count, from->counts + chunk * (int64_t)sizeof count, sizeof count);
    return count;
}

static void write_count(const non_zero_problem *to, int64_t chunk, int64_t count) {
    memcpy(to->counts + chunk * (int64_t)sizeof count, &count, sizeof count);
}

static const unsigned char *element(const non_zero_problem *from, int64_t position) {
    return (const unsigned char *)from->X->data + position * from->scan.bytes;
}

static int64_t chunk_end(const non_zero_problem *of, int64_t chunk) {
    return chunk + 1 < of->chunks ? (chunk + 1) * of->chunk : of->size;
}

static void count_chunk(void *state, int64_t chunk, int32_t worker) {
    const non_zero_problem *const all = state;
    const int64_t from = chunk * all->chunk;
    (void)worker;
    write_count(all, chunk,
                all->scan.count(element(all, from), chunk_end(all, chunk) - from, all->scan.mask));
}

int opmill_non_zero_measure(const opmill_tensor *X, opmill_shape *Y,
                            const opmill_non_zero_plan *plan, opmill_context *context) {
    non_zero_problem all = describe(X, NULL, context);
    int64_t count = 0;
    (void)plan;
    if (all.chunks == 1) {
        count = all.size > 0 ? all.scan.count(X->data, all.size, all.scan.mask) : 0;
    } else {
        opmill_parallel(all.chunks, all.threads, count_chunk, &all);
        for (int64_t chunk = 0; chunk < all.chunks; chunk++) {
            count += read_count(&all, chunk);
        }
    }
    Y->dims[1] = count;
    return OPMILL_OK;
}

/* Writes the columns `column` to `end` - 1: the indices among the elements `from` to `to` - 1. Row
 * by row of the last axis; on the other axes all elements of a row have the same index. */
static void fill(const non_zero_problem *all, int64_t from, int64_t to, int64_t column,
                 int64_t end) {
    const int32_t last = all->X->rank - 1;
    const int64_t *const dims = all->X->dims;
    const int64_t columns = all->Y->dims[1];
    int64_t *const rows = all->Y->data;
    int64_t index[OPMILL_MAX_RANK], left = from;
    for (int32_t axis = last; axis >= 0; axis--) {
        index[axis] = left % dims[axis];
        left /= dims[axis];
    }
    while (from < to && column < end) {
        int64_t run = dims[last] - index[last];
        if (run > to - from) {
            run = to - from;
        }
        const int64_t found = all->scan.find(element(all, from), run, all->scan.mask, index[last],
                                             rows + last * columns + column, end - column);
        for (int32_t axis = 0; found > 0 && axis < last; axis++) {
            int64_t *const row = rows + axis * columns + column;
            for (int64_t k = 0; k < found; k++) {
                row[k] = index[axis];
            }
        }
        column += found;
        from += run;
        index[last] = 0;
        for (int32_t axis = last - 1; axis >= 0 && ++index[axis] == dims[axis]; axis--) {
            index[axis] = 0;
        }
    }
}

static void fill_chunk(void *state, int64_t chunk, int32_t worker) {
    const non_zero_problem *const all = state;
    (void)worker;
    fill(all, chunk * all->chunk, chunk_end(all, chunk), read_count(all, chunk),
         chunk + 1 < all->chunks ? read_count(all, chunk + 1) : all->Y->dims[1]);
}

int opmill_non_zero_compute(const opmill_tensor *X, opmill_tensor *Y,
                            const opmill_non_zero_plan *plan, opmill_context *context) {
    non_zero_problem all = describe(X, Y, context);
    (void)plan;
    if (X->rank == 0 || Y->dims[1] == 0) {
        return OPMILL_OK;
    }
    if (all.chunks == 1) {
        fill(&all, 0, all.size, 0, Y->dims[1]);
        return OPMILL_OK;
    }
    int64_t before = 0;
    for (int64_t chunk = 0; chunk < all.chunks; chunk++) {
        const int64_t count = read_count(&all, chunk);
        write_count(&all, chunk, before);
        before += count;
    }
    opmill_parallel(all.chunks, all.threads, fill_chunk, &all);
    return OPMILL_OK;
}

size_t opmill_non_zero_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                       const opmill_non_zero_plan *plan,
                                       const opmill_context *context) {
    const non_zero_problem all = describe(X, NULL, context);
    (void)Y;
    (void)plan;
    return all.chunks > 1 ? (size_t)all.chunks * sizeof(int64_t) : 0;
}

void opmill_non_zero_choose(const opmill_tensor *X, const opmill_shape *Y,
                            const opmill_non_zero_plan *plan, const opmill_context *context,
                            opmill_choice *choice) {
    const non_zero_problem all = describe(X, NULL, context);
    (void)Y;
    (void)plan;
    *choice = (opmill_choice){all.chunks > 1 ? "chunks" : "whole", opmill_isa_select(context->isa),
                              all.threads};
}
