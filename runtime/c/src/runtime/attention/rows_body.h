/* Softmax and masks of the scores of a query, in REAL; rows.c includes this. */

/* The row of the mask that a query has: what is added to its scores. */
static void NAME(fetch_mask)(const opmill_attention_job *job, const opmill_attention_query *query,
                             REAL *restrict row) {
    const opmill_attention_problem *const plan = job->plan;
    const opmill_tensor *const mask = job->tensors->attn_mask;
    const int64_t *const steps = plan->mask_steps;
    const int64_t first =
        query->batch * steps[0] + query->head * steps[1] + query->index * steps[2];
    const char *const from =
        (const char *)mask->data + first * (int64_t)opmill_type_bytes(mask->type);
    const int64_t count = plan->repeats_mask ? 1 : plan->mask_length;
    if (mask->type == OPMILL_BOOL) {
        for (int64_t j = 0; j < count; j++) {
            row[j] = from[j] != 0 ? 0 : -(REAL)INFINITY;
        }
    } else {
        fetch_numbers(job, from, mask->type, (char *)row, count);
    }
    for (int64_t j = count; j < plan->mask_length; j++) {
        row[j] = row[0];
    }
    for (int64_t j = plan->mask_length; j < job->total; j++) {
        row[j] = -(REAL)INFINITY;
    }
}

/* Adds the filter to the row of a mask, for masked keys. Where these alone have weights, it
 * subtracts the filter from all keys and returns it; otherwise it returns 0. The weights are the
 * same, and scores keep their digits beside a large filter. */
static REAL NAME(filter_keys)(const opmill_attention_job *job, const opmill_attention_query *query,
                              int64_t low, int64_t high, REAL *restrict row) {
    const key_range range = find_unmasked(job, query);
    const REAL filter = (REAL)job->plan->filter;
    bool sees_masked = false, sees_others = false;
    for (int64_t j = low; j < high; j++) {
        if (row[j] != -(REAL)INFINITY) {
            sees_masked = sees_masked || is_masked(&range, j);
            sees_others = sees_others || !is_masked(&range, j);
        }
    }
    const bool shifts = isfinite(filter) && sees_masked && (filter > 0 || !sees_others);
    const REAL masked = shifts ? 0 : filter, other = shifts ? -filter : 0;
    for (int64_t j = 0; j < job->total; j++) {
        row[j] += is_masked(&range, j) ? masked : other;
    }
    return shifts ? filter : 0;
}

/* The scores of a query, and their sums with all that is added, less `shift`. */
typedef struct NAME(row) {
    REAL *scores, *sums;
    REAL shift;
} NAME(row);

/* The scores with all that is added to them; false where that is minus infinity alone. */
static bool NAME(add_masks)(const opmill_attention_job *job, const opmill_attention_query *query,
                            NAME(row) *of) {
    const REAL *const restrict scores = of->scores;
    REAL *const restrict row = of->sums;
    const bool masks = masks_keys(job, query);
    int64_t low, high;
    int found = 0;
    find_visible(job, query, &low, &high);
    if (job->tensors->attn_mask == NULL && !masks) {
        for (int64_t j = 0; j < job->total; j++) {
            row[j] = 0 + scores[j];
        }
        for (int64_t j = 0; j < low; j++) {
            row[j] = -(REAL)INFINITY + scores[j];
        }
        for (int64_t j = high; j < job->total; j++) {
            row[j] = -(REAL)INFINITY + scores[j];
        }
        return low < high;
    }
    if (job->tensors->attn_mask != NULL) {
        NAME(fetch_mask)(job, query, row);
    } else {
        memset(row, 0, (size_t)job->total * sizeof(REAL));
    }
    if (masks) {
        of->shift = NAME(filter_keys)(job, query, low, high, row);
    }
    for (int64_t j = 0; j < low; j++) {
        row[j] -= (REAL)INFINITY;
    }
    for (int64_t j = high; j < job->total; j++) {
        row[j] -= (REAL)INFINITY;
    }
    for (int64_t j = 0; j < job->total; j++) {
        found |= row[j] != -(REAL)INFINITY;
        row[j] += scores[j];
    }
    return found != 0;
}

/* Stores one number before `low`, and from `high` to the end. */
static void NAME(fill)(REAL *restrict row, REAL number, int64_t low, int64_t high, int64_t end) {
    for (int64_t j = 0; j < low; j++) {
        row[j] = number;
    }
    for (int64_t j = high; j < end; j++) {
        row[j] = number;
    }
}

/* Keys that a query does not see have a weight of 0, also where a score is NaN. */
static void NAME(hide)(const opmill_attention_job *job, const opmill_attention_query *query,
                       REAL *weights) {
    int64_t low, high;
    find_visible(job, query, &low, &high);
    NAME(fill)(weights, 0, low, high, job->total);
}

/* The scores with all that is done to them, in `row`, where keys may end early: those of visible
 * keys alone are read, and the output shows 0 for the others. False where a query sees nothing. */
static bool NAME(prepare_visible)(const opmill_attention_job *job,
                                  const opmill_attention_query *query, REAL *restrict scores,
                                  REAL *restrict row) {
    int64_t low, high;
    int found = 0;
    find_visible(job, query, &low, &high);
    if (job->plan->caps && low < high) {
        const REAL cap = (REAL)job->plan->cap;
        for (int64_t j = low; j < high; j++) {
            row[j] = scores[j] / cap;
        }
        opmill_math_tanh(job->wide, job->isa)(row + low, scores + low, high - low);
        for (int64_t j = low; j < high; j++) {
            scores[j] *= cap;
        }
    }
    if (job->tensors->attn_mask == NULL) {
        memcpy(row + low, scores + low, (size_t)(high - low) * sizeof(REAL));
    } else {
        NAME(fetch_mask)(job, query, row);
        for (int64_t j = low; j < high; j++) {
            row[j] += scores[j];
        }
    }
    for (int64_t j = low; j < high; j++) {
        found |= row[j] != -(REAL)INFINITY;
    }
    if (job->tensors->qk_matmul_output != NULL) {
        NAME(fill)(row, 0, low, high, job->total);
        store(job, query, OPMILL_ATTENTION_BIASED, row);
    }
    if (!shares_visible(job)) {
        NAME(fill)(row, -(REAL)INFINITY, low, high, job->total);
    }
    return found != 0;
}

/* All that comes before softmax; false where a query sees nothing. */
static bool NAME(prepare)(const opmill_attention_job *job, const opmill_attention_query *query,
                          REAL *scores, REAL *row) {
    store(job, query, OPMILL_ATTENTION_PRODUCTS, scores);
    if (job->plan->caps) {
        const REAL cap = (REAL)job->plan->cap;
        for (int64_t j = 0; j < job->total; j++) {
            row[j] = scores[j] / cap;
        }
        opmill_math_tanh(job->wide, job->isa)(row, scores, job->total);
        for (int64_t j = 0; j < job->total; j++) {
            scores[j] *= cap;
        }
    }
    store(job, query, OPMILL_ATTENTION_CAPPED, scores);
    NAME(row) of = {scores, row, 0};
    const bool sees_any = NAME(add_masks)(job, query, &of);
    for (int64_t j = 0; j < job->total && of.shift != 0; j++) {
        scores[j] = row[j] + of.shift;
    }
    store(job, query, OPMILL_ATTENTION_BIASED, of.shift != 0 ? scores : row);
    return sees_any;
}

/* The score without a value that a head has. */
static void NAME(fetch_sink)(const opmill_attention_job *job, int64_t head, REAL *to) {
    const opmill_tensor *const sinks = job->tensors->sinks;
    *to = 0;
    if (sinks != NULL) {
        opmill_attention_convert(job->loops, (const char *)sinks->data + head * job->bytes,
                                 job->type, to, job->wide, 1);
    }
}

/* Softmax of the visible scores of a query. */
static void NAME(share_visible)(const opmill_attention_job *job,
                                const opmill_attention_query *query, const REAL *row,
                                REAL *weights) {
    int64_t low, high;
    find_visible(job, query, &low, &high);
    opmill_softmax_loops_of(job->wide, job->isa)
        ->rows[OPMILL_SOFTMAX_SOFTMAX](row + low, weights + low, high - low, 1);
}

static void NAME(weigh)(const opmill_attention_job *job, const opmill_attention_query *queries,
                        int64_t count, void *scores, void *rows, void *spare) {
    REAL *const from = scores, *const to = rows;
    bool sees_any[OPMILL_SOFTMAX_ROWS];
    for (int64_t i = 0; i < count; i++) {
        REAL *const scores_of = from + i * job->pitch, *const row = to + i * job->pitch;
        sees_any[i] = job->tensors->last_keys != NULL
                          ? NAME(prepare_visible)(job, &queries[i], scores_of, row)
                          : NAME(prepare)(job, &queries[i], scores_of, row);
        if (job->plan->has_sink) {
            NAME(fetch_sink)(job, queries[i].head, row + job->total);
        }
    }
    if (!shares_visible(job)) {
        share(job, rows, scores, spare, count);
    }
    for (int64_t i = 0; i < count; i++) {
        if (sees_any[i] && shares_visible(job)) {
            NAME(share_visible)(job, &queries[i], to + i * job->pitch, from + i * job->pitch);
        }
        if (!sees_any[i]) {
            memset(from + i * job->pitch, 0, (size_t)job->total * sizeof(REAL));
        }
        if (job->tensors->last_keys != NULL) {
            NAME(hide)(job, &queries[i], from + i * job->pitch);
        }
        store(job, &queries[i], OPMILL_ATTENTION_WEIGHTS, from + i * job->pitch);
    }
}

#undef NAME
#undef REAL
