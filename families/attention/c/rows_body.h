/* What becomes of the scores of a query, in REAL; rows.c includes this. */

/* The row of the mask that a query has: what is added to its scores. */
static void NAME(fetch_mask)(const opmill_attention_job *job, const opmill_attention_query *query,
                             REAL *restrict row) {
    const opmill_attention_plan *const plan = job->plan;
    const opmill_tensor *const mask = job->tensors->attn_mask;
    const int64_t *const steps = plan->mask_steps.values;
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

/* The scores with all that is added to them, in `row`; false where that is minus infinity alone. */
static bool NAME(add_masks)(const opmill_attention_job *job, const opmill_attention_query *query,
                            const REAL *restrict scores, REAL *restrict row) {
    int64_t low, high;
    int found = 0;
    find_visible(job, query, &low, &high);
    if (job->tensors->attn_mask == NULL) {
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
    NAME(fetch_mask)(job, query, row);
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

/* All that comes before softmax; false where a query sees nothing. */
static bool NAME(prepare)(const opmill_attention_job *job, const opmill_attention_query *query,
                          REAL *scores, REAL *row) {
    store(job, query, 0, scores);
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
    store(job, query, 1, scores);
    const bool sees_any = NAME(add_masks)(job, query, scores, row);
    store(job, query, 2, row);
    return sees_any;
}

static void NAME(weigh)(const opmill_attention_job *job, const opmill_attention_query *queries,
                        int64_t count, void *scores, void *rows, void *spare) {
    REAL *const from = scores, *const to = rows;
    bool sees_any[OPMILL_SOFTMAX_ROWS];
    for (int64_t i = 0; i < count; i++) {
        sees_any[i] = NAME(prepare)(job, &queries[i], from + i * job->total, to + i * job->total);
    }
    share(job, rows, scores, spare, count);
    for (int64_t i = 0; i < count; i++) {
        if (!sees_any[i]) {
            memset(from + i * job->total, 0, (size_t)job->total * sizeof(REAL));
        }
        store(job, &queries[i], 3, from + i * job->total);
    }
}

#undef NAME
#undef REAL
