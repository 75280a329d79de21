/* Attention of few queries to the keys and values of one part of a head, all of float: each number
 * is read once, used for all queries and copied on the way. */
#ifndef OPMILL_ATTENTION_QUERY_ROWS_H
#define OPMILL_ATTENTION_QUERY_ROWS_H

#include <stdint.h>

#include "runtime/platform/platform.h"

typedef struct opmill_attention_query_rows {
    int64_t rows, size, count; /* queries, numbers of a vector, keys or values */
    const float *from;         /* the keys or values */
    int64_t step;              /* from one to the next */
    float *copy;               /* where they are stored one after another, or NULL */
    float *vectors;            /* the queries; or the sums of values, which are added to */
    float *scores;             /* of the first query with the first key */
    int64_t pitch;             /* from the scores of a query to those of the next */
} opmill_attention_query_rows;

typedef struct opmill_attention_query_loops {
    void (*score)(const opmill_attention_query_rows *part); /* the products of queries and keys */
    void (*sum)(const opmill_attention_query_rows *part);   /* the values, weighted by the scores */
    /* Numbers times two factors, rounded once; for any number of queries. */
    void (*scale)(float *numbers, const double *factors, int64_t count);
} opmill_attention_query_loops;

extern const opmill_attention_query_loops opmill_attention_query_loops_plain;
#if OPMILL_GNU
extern const opmill_attention_query_loops opmill_attention_query_loops_baseline;
#endif
#if OPMILL_X86_64
extern const opmill_attention_query_loops opmill_attention_query_loops_avx2;
extern const opmill_attention_query_loops opmill_attention_query_loops_avx512;
#endif

/* Those of a level of enum opmill_isa. */
const opmill_attention_query_loops *opmill_attention_query_loops_for(int32_t isa);

#endif
