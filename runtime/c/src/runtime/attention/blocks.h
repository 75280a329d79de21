/* Attention, for every operator that computes it: blocks of queries, their memory and their
 * products. */
#ifndef OPMILL_ATTENTION_BLOCKS_H
#define OPMILL_ATTENTION_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opmill/types.h"

/* Inputs and outputs by the names of ONNX; NULL for absent ones. */
typedef struct opmill_attention_tensors {
    const opmill_tensor *Q, *K, *V, *attn_mask, *past_key, *past_value, *nonpad_kv_seqlen;
    opmill_tensor *Y, *present_key, *present_value, *qk_matmul_output;
    /* The index of the last key of each batch entry, of int32, from `length` - 1 on (from 0 where
     * the calls begins with the prompt) and below the number of keys; or NULL. Such keys end there:
     * what is computed of others does not matter. The new keys follow those of the past that are
     * left then, and the present ones end with zeros. */
    const opmill_tensor *last_keys;
    /* A score of each head without a value, of the type of Q, or NULL. */
    const opmill_tensor *sinks;
    /* Mask of the keys, of int32, or NULL. Their scores have the filter added to them, beside
     * attn_mask. Not with last_keys. */
    const opmill_tensor *key_mask;
} opmill_attention_tensors;

/* The stages of a score that can be an output. */
enum {
    OPMILL_ATTENTION_PRODUCTS,
    OPMILL_ATTENTION_CAPPED,
    OPMILL_ATTENTION_BIASED,
    OPMILL_ATTENTION_WEIGHTS
};

/* The forms of a key mask. */
enum {
    OPMILL_ATTENTION_ENDS,   /* of each batch entry, the first masked key */
    OPMILL_ATTENTION_RANGES, /* the same, and then the first key of each entry that is not masked */
    OPMILL_ATTENTION_CELLS   /* of each key, by batch entry and query: masked unless above 0 */
};

typedef struct opmill_attention_problem {
    int64_t kv_heads, group;  /* heads of keys; of queries, for each of these */
    int64_t length, fresh;    /* queries, new keys */
    int64_t past;             /* keys of the past, which has at least as many rows */
    int64_t past_rows;        /* of a head in the past */
    int64_t present_rows;     /* of a head in the present keys */
    int64_t size, value_size; /* of a head of queries and keys, of values */
    bool separate;            /* whether heads are an axis of Q and Y */
    bool separate_keys;       /* and of K and V */
    /* From a token to the next, where heads lie side by side. */
    int64_t query_step, key_step, value_step;
    bool has_scale; /* otherwise it is 1 over the root of `size` */
    double scale;
    bool roots; /* whether the root of the scale, rounded to the type of Q, multiplies queries and
                   keys; otherwise the scale multiplies the queries */
    bool caps;
    double cap;
    bool causal;
    bool starts; /* with last_keys: whether the queries begin with the first key of the present */
    int64_t left, right; /* keys that a query sees on both sides of its own, or -1 */
    int64_t mask_steps[3], mask_length;
    bool repeats_mask;
    int32_t key_mask_form;
    int64_t key_mask_steps[2]; /* of cells, along batch entries and queries */
    double filter;             /* what is added to the scores of masked keys */
    bool copies_rest;  /* whether the present has the rows of the past behind the last key, where it
                          has as many; otherwise these are 0 */
    bool has_sink;     /* whether a score without a value is among those of a query: 0, or its sink
                          where there are sinks */
    int64_t mode;      /* the stage that the output of scores shows */
    int64_t precision; /* the type in which softmax is computed, or 0 */
} opmill_attention_problem;

/* The workspace of the call, from Q, K and V, whose data may be missing. */
size_t opmill_attention_workspace(const opmill_attention_tensors *tensors, bool gives_scores,
                                  const opmill_attention_problem *problem,
                                  const opmill_context *context);

/* Computes the outputs in a workspace of that size; lengths and last keys have been checked. */
void opmill_attention_run(const opmill_attention_tensors *tensors,
                          const opmill_attention_problem *problem, const opmill_context *context,
                          void *workspace);

#endif
