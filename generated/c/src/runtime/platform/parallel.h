/* Work shared among threads: a pool of POSIX threads where the build has them, which compilers say
 * with -pthread; else OpenMP where the build has that; the caller's thread alone elsewhere.
 *
 * The caller computes too, and waits only for tasks that a thread of the pool has begun: on a
 * machine whose processors have other work, a call takes no longer than on one thread. */
#ifndef OPMILL_PARALLEL_H
#define OPMILL_PARALLEL_H

#include <stdint.h>

/* One task of several. `worker` counts the threads from 0 and stays below the requested `threads`:
 * it picks a thread's part of the workspace. */
typedef void opmill_task(void *state, int64_t task, int32_t worker);

/* Runs tasks 0 to tasks - 1, each once, in any order, on at most `threads` threads. A task must not
 * wait for another one. */
void opmill_parallel(int64_t tasks, int32_t threads, opmill_task *run, void *state);

/* How many threads that is at most: 1 where the build has none. */
int32_t opmill_parallel_threads(int32_t threads);

#endif
