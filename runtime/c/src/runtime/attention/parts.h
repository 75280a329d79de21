/* The parts of attention that its sources share.
 *
 * The queries of all heads that share keys and values are the rows of one matrix, head by head; a
 * block of these rows is a task. All numbers in the workspace are float, or double where the
 * tensors hold doubles. */
#ifndef OPMILL_ATTENTION_PARTS_H
#define OPMILL_ATTENTION_PARTS_H

#include "runtime/attention/blocks.h"
#include "runtime/attention/conversion.h"
#include "runtime/attention/query_rows.h"
#include "runtime/cast/loops.h"
#include "runtime/product/product.h"
#include "runtime/softmax/loops.h"

/* The keys or values of one head that lie in one tensor. */
typedef struct opmill_attention_part {
    const opmill_tensor *tensor;
    int64_t first; /* the element where the head begins */
    int64_t step;  /* from a position to the next */
    int64_t position, count;
} opmill_attention_part;

typedef struct opmill_attention_job {
    const opmill_attention_tensors *tensors;
    const opmill_attention_problem *plan;
    opmill_context single; /* the context with one thread */
    const cast_loops *loops;
    int32_t isa;
    int32_t type, wide; /* of Q, and of the numbers in the workspace */
    int64_t bytes, wide_bytes;
    int32_t special; /* the type in which softmax is computed, where it is neither of these, or 0 */
    bool converts_values;
    const opmill_attention_query_loops
        *query_loops;  /* where a head has few queries, all of float, or NULL */
    double factors[2]; /* of queries, so that their products with the keys are scaled */
    int64_t batch, heads, length, fresh, total, size, value_size;
    int64_t key_step, value_step; /* from a token of K or V to the next */
    int64_t pitch; /* from the scores of a query to those of the next: the keys, and a sink */
    int64_t rows, block, blocks, tasks;
    int64_t together; /* rows of scores whose softmax is computed together, at most */

    /* Offsets in the part of the workspace that a thread has. */
    uint64_t queries, scores, row, spare, values, sums, products;
    uint64_t worker_bytes;
    int32_t threads;
    char *memory;
} opmill_attention_job;

/* A query: the batch entry, the head, the index in the sequence. */
typedef struct opmill_attention_query {
    int64_t batch, head, index;
} opmill_attention_query;

/* The end of the keys that a batch entry has, and those of its past that are among them. */
int64_t opmill_attention_end(const opmill_attention_job *job, int64_t batch);
int64_t opmill_attention_past(const opmill_attention_job *job, int64_t batch);

/* The keys or values of a head in the past and in this call, up to the end of the batch entry. */
void opmill_attention_find_parts(const opmill_attention_job *job, opmill_attention_part *parts,
                                 bool values, int64_t batch, int64_t head);

/* The end of the keys that a query sees. */
int64_t opmill_attention_seen_end(const opmill_attention_job *job,
                                  const opmill_attention_query *query);

/* Where a part begins. */
const char *opmill_attention_data(const opmill_attention_part *part);

/* Stores the keys and the values of a head, the past and what the call adds to it, as outputs;
 * `position` counts the heads of all batch entries. */
void opmill_attention_join_keys(const opmill_attention_job *job, int64_t position);
void opmill_attention_join_values(const opmill_attention_job *job, int64_t position);

/* Stores what a present head has behind the keys that are found: the other new ones, and zeros. */
void opmill_attention_end_present(const opmill_attention_job *job, bool values, int64_t position);

/* Turns the scores of up to job->together queries into weights, and stores those of the output that
 * is asked for. `rows` has room for as many numbers, `spare` for twice as many as one query has. */
void opmill_attention_weigh(const opmill_attention_job *job, const opmill_attention_query *queries,
                            int64_t count, void *scores, void *rows, void *spare);

#endif
