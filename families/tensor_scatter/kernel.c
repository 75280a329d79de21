/* TensorScatter: a copy of the cache, and the update of each sequence in one run, or in two where
 * it goes beyond the end. */
#include "families/tensor_scatter/kernel.h"

#include <string.h>

#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"
#include "runtime/copy/whole_copy.h"

typedef struct scatter_job {
    const uint8_t *update;
    uint8_t *cache;
    int64_t bits;    /* of what stays together: the elements inward of the axis */
    int64_t element; /* bits of an element */
    int64_t batches;
    int64_t rows;    /* sequences of a batch entry */
    int64_t length;  /* of the update's sequences */
    int64_t longest; /* of the cache's */
} scatter_job;

static int64_t product(const int64_t *dims, int32_t from, int32_t to) {
    int64_t result = 1;
    for (int32_t i = from; i < to; i++) {
        result *= dims[i];
    }
    return result;
}

/* Copies bits within the bytes that hold them: whole bytes where both sides begin and end at one,
 * else element by element. */
static void move(const scatter_job *job, int64_t to, int64_t from, int64_t bits) {
    if (to % 8 == 0 && from % 8 == 0 && bits % 8 == 0) {
        memcpy(job->cache + to / 8, job->update + from / 8, (size_t)(bits / 8));
        return;
    }
    const unsigned mask = (1u << job->element) - 1u;
    for (int64_t i = 0; i < bits; i += job->element) {
        uint8_t *const byte = job->cache + (to + i) / 8;
        const unsigned value = (unsigned)job->update[(from + i) / 8] >> (from + i) % 8 & mask;
        const unsigned others = *byte & ~(mask << (to + i) % 8);
        *byte = (uint8_t)(others | value << (to + i) % 8);
    }
}

/* What follows the last element below a byte is 0. */
static void clear_rest(const scatter_job *job, int64_t elements) {
    const int64_t rest = elements * job->element % 8;
    if (rest > 0) {
        job->cache[elements * job->element / 8] &= (uint8_t)((1u << rest) - 1u);
    }
}

static int64_t begin_of(const opmill_tensor *write_indices, int64_t batch, int64_t longest,
                        int64_t length, bool circular) {
    if (write_indices == NULL) {
        return 0;
    }
    if (!circular) {
        return opmill_bounds_read(write_indices, batch, 0, longest - length);
    }
    const int64_t begin = opmill_bounds_read(write_indices, batch, INT64_MIN, INT64_MAX) % longest;
    return begin < 0 ? begin + longest : begin;
}

static void write_updates(const scatter_job *job, const opmill_tensor *write_indices,
                          bool circular) {
    for (int64_t batch = 0; batch < job->batches; batch++) {
        const int64_t begin = begin_of(write_indices, batch, job->longest, job->length, circular);
        const int64_t capacity = job->longest - begin;
        const int64_t straight = job->length < capacity ? job->length : capacity;
        for (int64_t row = batch * job->rows; row < (batch + 1) * job->rows; row++) {
            const int64_t to = row * job->longest * job->bits;
            const int64_t from = row * job->length * job->bits;
            move(job, to + begin * job->bits, from, straight * job->bits);
            move(job, to, from + straight * job->bits, (job->length - straight) * job->bits);
        }
    }
}

int opmill_tensor_scatter_compute(const opmill_tensor *past_cache, const opmill_tensor *update,
                                  const opmill_tensor *write_indices, opmill_tensor *present_cache,
                                  const opmill_tensor_scatter_plan *plan, opmill_context *context) {
    const int32_t axis = (int32_t)plan->axis, rank = past_cache->rank;
    scatter_job job = {.update = update->data, .cache = present_cache->data};
    job.element = opmill_type_bits(past_cache->type);
    job.bits = product(past_cache->dims, axis + 1, rank) * job.element;
    job.batches = past_cache->dims[0];
    job.rows = product(past_cache->dims, 1, axis);
    job.length = update->dims[axis];
    job.longest = past_cache->dims[axis];
    if (write_indices != NULL && plan->circular == 0 &&
        !opmill_bounds_check(write_indices, "write_indices", 0, job.longest - job.length,
                             context)) {
        return OPMILL_ERROR_CALL;
    }
    opmill_whole_copy_run(past_cache, present_cache, context);
    if (job.length > 0 && job.bits > 0 && job.rows > 0) {
        write_updates(&job, write_indices, plan->circular != 0);
    }
    clear_rest(&job, product(past_cache->dims, 0, rank));
    return OPMILL_OK;
}

void opmill_tensor_scatter_choose(const opmill_tensor *past_cache, const opmill_tensor *update,
                                  const opmill_tensor *write_indices,
                                  const opmill_shape *present_cache,
                                  const opmill_tensor_scatter_plan *plan,
                                  const opmill_context *context, opmill_choice *choice) {
    (void)update;
    (void)write_indices;
    (void)present_cache;
    (void)plan;
    opmill_whole_copy_choose(past_cache, context, choice);
}
