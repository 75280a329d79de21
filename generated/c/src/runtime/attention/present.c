/* The keys and values of a head: where they are, and how they become the present ones. */
#include <string.h>

#include "runtime/attention/parts.h"
#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t opmill_attention_end(const opmill_attention_job *job, int64_t batch) {
    const opmill_tensor *const last_keys = job->tensors->last_keys;
    if (last_keys == NULL) {
        return job->total;
    }
    const int64_t first = job->plan->starts ? 0 : job->length - 1;
    return opmill_bounds_read(last_keys, batch, first, job->total - 1) + 1;
}

int64_t opmill_attention_past(const opmill_attention_job *job, int64_t batch) {
    if (job->tensors->last_keys == NULL || (job->plan->starts && job->fresh > 0)) {
        return job->plan->past;
    }
    return opmill_attention_end(job, batch) - job->fresh;
}

/* All keys or values of a head, also those behind the end. */
static void find_all(const opmill_attention_job *job, opmill_attention_part *parts, bool values,
                     int64_t batch, int64_t head) {
    const opmill_attention_tensors *const tensors = job->tensors;
    const int64_t size = values ? job->value_size : job->size;
    const int64_t step = values ? job->value_step : job->key_step;
    const int64_t position = batch * job->heads + head;
    const int64_t past = opmill_attention_past(job, batch);
    parts[0] = (opmill_attention_part){values ? tensors->past_value : tensors->past_key,
                                       position * job->plan->past_rows * size, size, 0, past};
    parts[1] =
        (opmill_attention_part){values ? tensors->V : tensors->K,
                                job->plan->separate_keys ? position * job->fresh * size
                                                         : batch * job->fresh * step + head * size,
                                step, past, job->fresh};
}

void opmill_attention_find_parts(const opmill_attention_job *job, opmill_attention_part *parts,
                                 bool values, int64_t batch, int64_t head) {
    find_all(job, parts, values, batch, head);
    parts[1].count = smaller(parts[1].count, opmill_attention_end(job, batch) - parts[0].count);
}

const char *opmill_attention_data(const opmill_attention_part *part) {
    return (const char *)part->tensor->data +
           part->first * (int64_t)opmill_type_bytes(part->tensor->type);
}

/* Stores vectors one after another, and returns the end of them. */
static char *store_part(const opmill_attention_part *part, int64_t size, char *to) {
    const int64_t bytes = opmill_type_bytes(part->tensor->type);
    const bool whole = part->step == size;
    const int64_t runs = whole ? 1 : part->count;
    const int64_t length = size * bytes * (whole ? part->count : 1);
    for (int64_t run = 0; run < runs; run++) {
        memcpy(to, opmill_attention_data(part) + run * part->step * bytes, (size_t)length);
        to += length;
    }
    return to;
}

/* Stores the keys or values of a head from one of the new ones on, behind those before it. */
static void join(const opmill_attention_job *job, bool values, int64_t position, bool past,
                 int64_t first) {
    const opmill_attention_tensors *const tensors = job->tensors;
    const opmill_tensor *const to = values ? tensors->present_value : tensors->present_key;
    const int64_t size = values ? job->value_size : job->size;
    opmill_attention_part parts[2];
    if (to == NULL || size == 0 || job->plan->present_rows == 0) {
        return;
    }
    const int64_t row = size * opmill_type_bytes(to->type);
    char *const begin = (char *)to->data + position * job->plan->present_rows * row;
    find_all(job, parts, values, position / job->heads, position % job->heads);
    if (past && parts[0].count > 0) {
        store_part(&parts[0], size, begin);
    }
    char *at = begin + (parts[0].count + first) * row;
    parts[1].first += first * parts[1].step;
    parts[1].count -= first;
    if (parts[1].count > 0) {
        at = store_part(&parts[1], size, at);
    }
    const size_t rest = (size_t)(begin + job->plan->present_rows * row - at);
    if (rest > 0 && job->plan->copies_rest) {
        memcpy(at, opmill_attention_data(&parts[0]) + (at - begin), rest);
    } else {
        memset(at, 0, rest);
    }
}

void opmill_attention_join_keys(const opmill_attention_job *job, int64_t position) {
    join(job, false, position, true, 0);
}

void opmill_attention_join_values(const opmill_attention_job *job, int64_t position) {
    join(job, true, position, true, 0);
}

void opmill_attention_end_present(const opmill_attention_job *job, bool values, int64_t position) {
    opmill_attention_part parts[2];
    opmill_attention_find_parts(job, parts, values, position / job->heads, position % job->heads);
    join(job, values, position, false, parts[1].count);
}
