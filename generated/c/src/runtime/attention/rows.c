/* Scores of a query: soft cap, mask and softmax. */
#include <math.h>
#include <string.h>

#include "runtime/attention/parts.h"
#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"
#include "runtime/math/math.h"
#include "runtime/platform/platform.h"

enum {
    BLOCK = OPMILL_ON_STACK(256, 128)
}; /* elements that are converted by way of a second type */

/* A run of the mask as elements of the type of Q, which are then widened. */
static void fetch_numbers(const opmill_attention_job *job, const char *from, int32_t type, char *to,
                          int64_t count) {
    const int64_t bytes = opmill_type_bytes(type);
    uint64_t space[BLOCK];
    if (job->type == job->wide) {
        opmill_attention_convert(job->loops, from, type, to, job->wide, count);
        return;
    }
    for (int64_t i = 0; i < count; i += BLOCK) {
        const int64_t some = count - i < BLOCK ? count - i : BLOCK;
        opmill_attention_convert(job->loops, from + i * bytes, type, space, job->type, some);
        opmill_attention_convert(job->loops, space, job->type, to + i * job->wide_bytes, job->wide,
                                 some);
    }
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* The keys from `*low` on, below `*high`, that neither lengths nor windows hide from a query. */
static void find_visible(const opmill_attention_job *job, const opmill_attention_query *query,
                         int64_t *low, int64_t *high) {
    const opmill_attention_problem *const plan = job->plan;
    const opmill_tensor *const lengths = job->tensors->nonpad_kv_seqlen;
    const int64_t everything = job->total + job->length;
    int64_t position = query->index + job->plan->past;
    *low = 0;
    *high = opmill_attention_end(job, query->batch);
    if (job->tensors->last_keys != NULL) {
        position = query->index + (plan->starts ? 0 : *high - job->length);
    }
    if (lengths != NULL) {
        *high = opmill_bounds_read(lengths, query->batch, 0, job->total);
        position = query->index + *high - job->length;
    }
    if (plan->causal) {
        *high = smaller(*high, position + 1);
    }
    if (plan->right >= 0) {
        *high = smaller(*high, position + smaller(plan->right, everything) + 1);
    }
    if (plan->left >= 0) {
        *low = smaller(larger(0, position - smaller(plan->left, everything)), job->total);
    }
    *high = larger(*high, *low);
}

int64_t opmill_attention_seen_end(const opmill_attention_job *job,
                                  const opmill_attention_query *query) {
    int64_t low, high;
    find_visible(job, query, &low, &high);
    return high;
}

/* True if softmax has the visible scores of a query alone. The others need none where keys may end
 * early: no output shows what becomes of them. */
static bool shares_visible(const opmill_attention_job *job) {
    return job->tensors->last_keys != NULL && !job->plan->has_sink && job->special == 0 &&
           job->type == job->wide;
}

/* The keys that a mask leaves to a query: those above 0 in `cells`, or from `first` to `end`. */
typedef struct key_range {
    const int32_t *cells;
    int64_t first, end;
} key_range;

static key_range find_unmasked(const opmill_attention_job *job,
                               const opmill_attention_query *query) {
    const opmill_attention_problem *const plan = job->plan;
    const opmill_tensor *const mask = job->tensors->key_mask;
    key_range range = {NULL, 0, 0};
    if (plan->key_mask_form == OPMILL_ATTENTION_CELLS) {
        range.cells = (const int32_t *)mask->data + query->batch * plan->key_mask_steps[0] +
                      query->index * plan->key_mask_steps[1];
        return range;
    }
    range.end = opmill_bounds_read(mask, query->batch, 0, job->total);
    if (plan->key_mask_form == OPMILL_ATTENTION_RANGES) {
        range.first = opmill_bounds_read(mask, job->batch + query->batch, 0, job->total);
    }
    return range;
}

/* Whether a mask of keys masks any for a query; of cells some may be. */
static bool masks_keys(const opmill_attention_job *job, const opmill_attention_query *query) {
    if (job->tensors->key_mask == NULL) {
        return false;
    }
    const key_range range = find_unmasked(job, query);
    return range.cells != NULL || range.first > 0 || range.end < job->total;
}

static bool is_masked(const key_range *range, int64_t key) {
    return range->cells != NULL ? range->cells[key] <= 0 : key < range->first || key >= range->end;
}

/* Numbers as elements of the output of scores, where this is the stage that it shows. */
static void store(const opmill_attention_job *job, const opmill_attention_query *query, int mode,
                  const void *numbers) {
    const opmill_tensor *const output = job->tensors->qk_matmul_output;
    if (output != NULL && job->plan->mode == mode) {
        const int64_t heads = job->plan->group * job->heads;
        const int64_t row = (query->batch * heads + query->head) * job->length + query->index;
        opmill_attention_convert(job->loops, numbers, job->wide,
                                 (char *)output->data + row * job->total * job->bytes, job->type,
                                 job->total);
    }
}

/* Softmax of rows, in the type that the call wants; weights of another one become those of Q. Only
 * those of the type of the workspace are computed together. */
static void share(const opmill_attention_job *job, void *rows, void *scores, void *spare,
                  int64_t count) {
    const int32_t type = job->special != 0 ? job->special : job->wide;
    const int64_t all = count * job->pitch;
    opmill_softmax_rows *const softmax =
        opmill_softmax_loops_of(type, job->isa)->rows[OPMILL_SOFTMAX_SOFTMAX];
    if (job->special == 0) {
        softmax(rows, scores, job->pitch, count);
        if (job->type != job->wide && job->plan->precision == job->wide) {
            opmill_attention_convert(job->loops, scores, job->wide, rows, job->type, all);
            opmill_attention_convert(job->loops, rows, job->type, scores, job->wide, all);
        }
        return;
    }
    char *const second = (char *)spare + job->pitch * (int64_t)sizeof(double);
    opmill_attention_convert(job->loops, rows, job->wide, spare, type, job->pitch);
    softmax(spare, second, job->pitch, 1);
    opmill_attention_convert(job->loops, second, type, spare, job->type, job->pitch);
    opmill_attention_convert(job->loops, spare, job->type, scores, job->wide, job->pitch);
}

#define NAME(name) name##_float
#define REAL float
#include "runtime/attention/rows_body.h"
#define NAME(name) name##_double
#define REAL double
#include "runtime/attention/rows_body.h"

void opmill_attention_weigh(const opmill_attention_job *job, const opmill_attention_query *queries,
                            int64_t count, void *scores, void *rows, void *spare) {
    if (job->wide == OPMILL_FLOAT) {
        weigh_float(job, queries, count, scores, rows, spare);
    } else {
        weigh_double(job, queries, count, scores, rows, spare);
    }
}
