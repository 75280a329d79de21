/* Work that is shared among threads: each task runs once, and no two threads are the same worker at
 * a time. From one caller, from several at once, from within tasks, and after a fork. */
#include "compare.h"

#if defined(__unix__) || defined(__APPLE__)

#include <pthread.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/platform/parallel.h"

enum { CALLERS = 4, CALLS = 2000, MAX_TASKS = 64, MAX_THREADS = 6 };

typedef struct parallel_work {
    int64_t tasks;
    int32_t threads;
    int64_t sums[MAX_TASKS];
    bool is_busy[MAX_THREADS]; /* by worker; a second thread with its number would be a race */
    bool is_wrong;
} parallel_work;

static int64_t sum_of(int64_t task) {
    int64_t sum = 1;
    for (int64_t i = 0; i < task * 37 % 500; i++) {
        sum += i * task;
    }
    return sum;
}

static void compute(void *state, int64_t task, int32_t worker) {
    parallel_work *const given = state;
    if (worker < 0 || worker >= given->threads || given->is_busy[worker]) {
        given->is_wrong = true;
        return;
    }
    given->is_busy[worker] = true;
    given->sums[task] += sum_of(task);
    given->is_busy[worker] = false;
}

static bool is_right(const parallel_work *given) {
    for (int64_t i = 0; i < given->tasks; i++) {
        if (given->sums[i] != sum_of(i)) {
            return false;
        }
    }
    return !given->is_wrong;
}

/* The numbers of tasks and threads change from call to call. */
static parallel_work work_of_call(int call) {
    parallel_work work;
    memset(&work, 0, sizeof work);
    work.tasks = 1 + call * 7 % MAX_TASKS;
    work.threads = 1 + call % MAX_THREADS;
    return work;
}

static long wrong_calls(int first, int count) {
    long wrong = 0;
    for (int i = first; i < first + count; i++) {
        parallel_work work = work_of_call(i);
        opmill_parallel(work.tasks, work.threads, compute, &work);
        wrong += is_right(&work) ? 0 : 1;
    }
    return wrong;
}

typedef struct caller {
    pthread_t thread;
    int number;
    long wrong;
} caller;

static void *call_often(void *argument) {
    caller *const self = argument;
    self->wrong = wrong_calls(self->number, CALLS);
    return NULL;
}

static void test_callers(void) {
    static caller callers[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        callers[i].number = i;
        about("caller %d", i);
        check(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]) == 0, "it starts");
    }
    for (int i = 0; i < CALLERS; i++) {
        about("caller %d", i);
        check(pthread_join(callers[i].thread, NULL) == 0, "it ends");
        check(callers[i].wrong == 0, "each task of its calls runs once");
    }
}

static void call_within(void *state, int64_t task, int32_t worker) {
    parallel_work *const given = (parallel_work *)state + task;
    (void)worker;
    opmill_parallel(given->tasks, given->threads, compute, given);
}

static void test_within(void) {
    enum { PARTS = 5 };
    parallel_work parts[PARTS];
    for (int i = 0; i < CALLS / 10; i++) {
        for (int k = 0; k < PARTS; k++) {
            parts[k] = work_of_call(i + k);
        }
        opmill_parallel(PARTS, 3, call_within, parts);
        for (int k = 0; k < PARTS; k++) {
            about("call %d, part %d", i, k);
            check(is_right(&parts[k]), "each task of a call within a task runs once");
        }
    }
}

/* ThreadSanitizer and emulators do not follow a process with threads into a fork. */
static void test_fork(void) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(wrong_calls(0, CALLS / 10) == 0 ? 0 : 1);
    }
    int status = -1;
    about("a fork");
    check(child > 0 && waitpid(child, &status, 0) == child && status == 0,
          "each task runs once in the child");
    check(wrong_calls(0, CALLS / 10) == 0, "and in its parent");
}

int main(int count, char **arguments) {
    about("one caller");
    check(wrong_calls(0, CALLS) == 0, "each task runs once");
    test_callers();
    test_within();
    if (count > 1 && strcmp(arguments[1], "fork") == 0) {
        test_fork();
    }
    return finish("shared among threads");
}

#else

int main(void) {
    check(true, "");
    return finish("no POSIX threads here: not run");
}

#endif
