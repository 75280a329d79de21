#include "runtime/parallel.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

void opmill_parallel(int64_t tasks, int32_t threads, opmill_task *run, void *state) {
#if defined(_OPENMP)
    if (threads > 1 && tasks > 1) {
        int team = tasks < threads ? (int)tasks : (int)threads;
        int64_t task;
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

int32_t opmill_parallel_threads(int32_t threads) {
#if defined(_OPENMP)
    return threads > 1 ? threads : 1;
#else
    (void)threads;
    return 1;
#endif
}
