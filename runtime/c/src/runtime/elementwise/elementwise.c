/* Runs a unary loop over a tensor, in parallel. Large outputs are computed in blocks on the stack
 * and streamed to memory past the caches. */
#include "runtime/elementwise/elementwise.h"

#include "runtime/copy/copy_movers.h"
#include "runtime/elementwise/elementwise_shares.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/stream.h"

typedef struct unary_job {
    const opmill_unary *unary;
    const opmill_mover *mover;
    const char *from;
    char *to;
    int64_t count;
    opmill_shares shares;
} unary_job;

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static void run_task(void *state, int64_t task, int32_t worker) {
    const unary_job *const job = state;
    const opmill_unary *const unary = job->unary;
    const int64_t first = task * job->shares.step;
    const int64_t end = min_of(first + job->shares.step, job->count);
    (void)worker;
    if (!job->shares.stream) {
        unary->loop(job->from + first * unary->from_bytes, job->to + first * unary->to_bytes,
                    end - first, unary->operands);
        return;
    }
    union {
        char bytes[OPMILL_STAGE_BYTES];
        double aligned;
    } stage;
    const int64_t max_count = OPMILL_STAGE_BYTES / unary->to_bytes;
    opmill_stream stream;
    opmill_stream_begin(&stream, job->mover);
    for (int64_t at = first; at < end; at += max_count) {
        const int64_t count = min_of(max_count, end - at);
        unary->loop(job->from + at * unary->from_bytes, stage.bytes, count, unary->operands);
        opmill_stream_write(&stream, job->to + at * unary->to_bytes, stage.bytes,
                            (size_t)(count * unary->to_bytes));
    }
    opmill_stream_end(&stream);
}

static opmill_shares shares_of(const opmill_unary *unary, int64_t count,
                               const opmill_context *context) {
    const bool can_stream = opmill_mover_for(unary->isa)->lines != NULL;
    return opmill_share(count, unary->to_bytes, 1, can_stream, context);
}

void opmill_unary_run(const opmill_unary *unary, const void *from, void *to, int64_t count,
                      const opmill_context *context) {
    if (count == 0) {
        return;
    }
    unary_job job = {unary, opmill_mover_for(unary->isa),    from, to,
                     count, shares_of(unary, count, context)};
    opmill_parallel(job.shares.tasks, job.shares.threads, run_task, &job);
}

void opmill_unary_choose(const opmill_unary *unary, int64_t count, const opmill_context *context,
                         opmill_choice *choice) {
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (count > 0) {
        const opmill_shares shares = shares_of(unary, count, context);
        *choice = (opmill_choice){shares.stream ? "elements+stream" : "elements", unary->isa,
                                  shares.threads};
    }
}
