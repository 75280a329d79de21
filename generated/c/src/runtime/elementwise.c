#include "runtime/elementwise.h"

#include <stdbool.h>

#include "runtime/copy_movers.h"
#include "runtime/parallel.h"

enum {
    STAGE_BYTES = 16 * 1024,    /* computed in L1 before it is written around the caches */
    THREAD_BYTES = 1024 * 1024, /* the least output that is worth a thread of its own */
    TASKS_A_THREAD = 8,
    STREAM_BYTES = 64 * 1024 * 1024, /* outputs from here on go around the caches */
    TASK_ELEMENTS = 4096             /* tasks begin at multiples: of cache lines, and of vectors */
};

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* How an output of so many elements is shared out. */
typedef struct shares {
    int32_t threads;
    int64_t tasks;
    int64_t step; /* elements of a task; the last may have fewer */
    bool stream;
} shares;

static shares share(int64_t count, int32_t bytes, const opmill_mover *mover,
                    const opmill_context *context) {
    shares shared = {1, 1, count, mover->streams && count >= STREAM_BYTES / bytes};
    const int64_t worth = count / (THREAD_BYTES / bytes);
    shared.threads = (int32_t)least(context->threads > 1 ? context->threads : 1,
                                    worth > 1 ? worth : 1);
    if (shared.threads > 1) {
        const int64_t tasks = (int64_t)shared.threads * TASKS_A_THREAD;
        shared.step = (count / tasks / TASK_ELEMENTS + 1) * TASK_ELEMENTS;
        shared.tasks = (count - 1) / shared.step + 1;
    }
    return shared;
}

static const char *way(const shares *shared) {
    return shared->stream ? "elements+stream" : "elements";
}

typedef struct unary_job {
    const opmill_unary *unary;
    const opmill_mover *mover;
    const char *from;
    char *to;
    int64_t count;
    shares shared;
} unary_job;

static void unary_task(void *state, int64_t task, int32_t worker) {
    const unary_job *job = state;
    const opmill_unary *unary = job->unary;
    const int64_t first = task * job->shared.step;
    const int64_t end = least(first + job->shared.step, job->count);
    (void)worker;
    if (!job->shared.stream) {
        unary->loop(job->from + first * unary->from_bytes, job->to + first * unary->to_bytes,
                    end - first);
        return;
    }
    union {
        char bytes[STAGE_BYTES];
        double aligned;
    } stage;
    const int64_t most = STAGE_BYTES / unary->to_bytes;
    for (int64_t at = first; at < end; at += most) {
        const int64_t count = least(most, end - at);
        unary->loop(job->from + at * unary->from_bytes, stage.bytes, count);
        job->mover->stream((uint8_t *)job->to + at * unary->to_bytes, (uint8_t *)stage.bytes,
                           (size_t)(count * unary->to_bytes));
    }
    job->mover->settle();
}

void opmill_unary_run(const opmill_unary *unary, const void *from, void *to, int64_t count,
                      const opmill_context *context) {
    if (count == 0) {
        return;
    }
    unary_job job = {unary, opmill_mover_for(unary->isa), from, to, count, {0}};
    job.shared = share(count, unary->to_bytes, job.mover, context);
    opmill_parallel(job.shared.tasks, job.shared.threads, unary_task, &job);
}

void opmill_unary_choose(const opmill_unary *unary, int64_t count, const opmill_context *context,
                         opmill_choice *choice) {
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (count > 0) {
        const shares shared = share(count, unary->to_bytes, opmill_mover_for(unary->isa), context);
        *choice = (opmill_choice){way(&shared), unary->isa, shared.threads};
    }
}
