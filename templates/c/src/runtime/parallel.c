#include "runtime/parallel.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

enum { ALWAYS_ALLOWED = 64 };

/* So many threads as a caller may ask for: a few more than there are processors do no harm, but
 * thousands would be made just to wait for each other. */
static int32_t sensible(int32_t threads) {
#if defined(_OPENMP)
    if (threads > ALWAYS_ALLOWED) {
        const int processors = omp_get_num_procs();
        const int32_t most = processors > ALWAYS_ALLOWED ? (int32_t)processors : ALWAYS_ALLOWED;
        return threads < most ? threads : most;
    }
    return threads > 1 ? threads : 1;
#else
    (void)threads;
    return 1;
#endif
}

void opmill_parallel(int64_t tasks, int32_t threads, opmill_task *run, void *state) {
#if defined(_OPENMP)
    const int32_t most = sensible(threads);
    if (most > 1 && tasks > 1) {
        int team = tasks < most ? (int)tasks : (int)most;
        int64_t task;
        /* As many tasks as threads: each has the same one in every call, maybe in its cache. */
        if (tasks == team) {
#pragma omp parallel for num_threads(team) schedule(static, 1)
            for (task = 0; task < tasks; task++) {
                run(state, task, (int32_t)omp_get_thread_num());
            }
            return;
        }
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
        for (task = 0; task < tasks; task++) {
            run(state, task, (int32_t)omp_get_thread_num());
        }
        return;
    }
#else
    (void)threads;
#endif
    for (int64_t task = 0; task < tasks; task++) {
        run(state, task, 0);
    }
}

int32_t opmill_parallel_threads(int32_t threads) { return sensible(threads); }
