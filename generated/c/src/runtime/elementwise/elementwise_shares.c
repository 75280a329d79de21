/* Splits an elementwise output into tasks and decides whether it is streamed past the caches. */
#include "runtime/elementwise/elementwise_shares.h"

enum {
    THREAD_BYTES = 256 * 1024,      /* the least output that is worth a thread of its own */
    TASK_ELEMENTS = 4096,           /* whole cache lines, and whole vectors */
    STREAM_BYTES = 64 * 1024 * 1024 /* outputs from here on go around the caches */
};

opmill_shares opmill_share(int64_t count, int32_t bytes, int64_t unit, bool can_stream,
                           const opmill_context *context) {
    opmill_shares shares = {1, 1, count, can_stream && count >= STREAM_BYTES / bytes};
    if (context->threads <= 1) {
        return shares;
    }
    const int64_t worth = count / (THREAD_BYTES / bytes);
    if (worth > 1) {
        shares.threads = worth < context->threads ? (int32_t)worth : context->threads;
        const int64_t tasks = shares.threads;
        const int64_t step = unit > TASK_ELEMENTS ? unit : TASK_ELEMENTS / unit * unit;
        shares.step = (count / tasks / step + 1) * step;
        shares.tasks = (count - 1) / shares.step + 1;
    }
    return shares;
}
