/* The thread pool: workers spin for a short time, then sleep; jobs are linked in a list, and
 * workers take tasks by an atomic counter. Falls back to OpenMP or to one thread. */
#if defined(_REENTRANT) && (defined(__unix__) || defined(__APPLE__)) && !defined(OPMILL_STANDARD_C)
#define POOL 1
#define _POSIX_C_SOURCE 200809L /* beside standard C: threads, signals, processors */
#else
#define POOL 0
#endif

#include "runtime/platform/parallel.h"

#include <stdbool.h>
#include <stddef.h>

#include "runtime/platform/platform.h"

#if POOL
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#elif defined(_OPENMP)
#include <omp.h>
#endif

enum { ALWAYS_ALLOWED = 64 };

/* So many threads as a caller may ask for: a few more than there are processors do no harm, but
 * thousands would be made just to wait for each other. */
static int32_t sensible(int32_t threads) {
#if POOL || defined(_OPENMP)
    if (threads > ALWAYS_ALLOWED) {
#if !POOL
        const int64_t processors = omp_get_num_procs();
#elif defined(_SC_NPROCESSORS_ONLN)
        const int64_t processors = sysconf(_SC_NPROCESSORS_ONLN);
#else
        const int64_t processors = 1;
#endif
        const int64_t limit = processors > ALWAYS_ALLOWED ? processors : ALWAYS_ALLOWED;
        return threads < limit ? threads : (int32_t)limit;
    }
    return threads > 1 ? threads : 1;
#else
    (void)threads;
    return 1;
#endif
}

#if POOL

/* Rounds of waiting before a thread sleeps, some 100 microseconds: a thread that sleeps takes tens
 * of microseconds to wake, and one that does not takes a processor from others. */
enum { ROUNDS = 8000 };

/* A call: it lies on its caller's stack, and in the list of the pool while tasks are left. */
typedef struct job {
    opmill_task *run;
    void *state;
    int64_t tasks;
    int64_t next;    /* the first task that nobody has taken; atomic */
    int32_t threads; /* that may take part, the caller included */
    int32_t joined;  /* that took part, the caller included; under the lock */
    int32_t present; /* threads of the pool that are at it; atomic */
    struct job *following;
} job;

/* `calls` and `waiting` are written under the lock and read without it. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t called; /* a job came: `calls` is another number */
    pthread_cond_t left;   /* somebody left a job that others wait for */
    job *jobs;
    uint32_t calls;
    int32_t waiting; /* callers that sleep until their job is left */
    int32_t sleeping;
    int32_t workers;
    bool is_full; /* the system refused a thread */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .called = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static inline void relax(void) {
#if OPMILL_X86_64
    __builtin_ia32_pause();
#elif OPMILL_NEON
    __asm__ volatile("yield");
#endif
}

static void lock(void) { (void)pthread_mutex_lock(&pool.lock); }
static void unlock(void) { (void)pthread_mutex_unlock(&pool.lock); }

/* Takes tasks until none is left. */
static void take_part(job *job, int32_t worker) {
    for (;;) {
        const int64_t task = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
        if (task >= job->tasks) {
            return;
        }
        job->run(job->state, task, worker);
    }
}

/* A job that lacks threads, or NULL; under the lock. */
static job *open_job(void) {
    for (job *each = pool.jobs; each != NULL; each = each->following) {
        if (each->joined < each->threads &&
            __atomic_load_n(&each->next, __ATOMIC_RELAXED) < each->tasks) {
            return each;
        }
    }
    return NULL;
}

static void leave(job *job) {
    /* After the last one has left, the job is its caller's stack again. */
    if (__atomic_sub_fetch(&job->present, 1, __ATOMIC_SEQ_CST) == 0 &&
        __atomic_load_n(&pool.waiting, __ATOMIC_SEQ_CST) > 0) {
        lock();
        (void)pthread_cond_broadcast(&pool.left);
        unlock();
    }
}

static uint32_t calls(void) { return __atomic_load_n(&pool.calls, __ATOMIC_ACQUIRE); }

static void await_call(uint32_t seen) {
    for (int32_t i = 0; i < ROUNDS; i++) {
        if (calls() != seen) {
            return;
        }
        relax();
    }
    lock();
    while (pool.calls == seen) {
        pool.sleeping++;
        (void)pthread_cond_wait(&pool.called, &pool.lock);
        pool.sleeping--;
    }
    unlock();
}

static void *work(void *unused) {
    for (;;) {
        const uint32_t seen = calls();
        lock();
        job *const found = open_job();
        int32_t worker = 0;
        if (found != NULL) {
            worker = found->joined++;
            (void)__atomic_add_fetch(&found->present, 1, __ATOMIC_RELAXED);
        }
        unlock();
        if (found != NULL) {
            take_part(found, worker);
            leave(found);
        } else {
            await_call(seen);
        }
    }
    return unused;
}

/* A thread that serves no signal: those are for the threads of the program. Under the lock. */
static void add_worker(void) {
    sigset_t all, before;
    pthread_t thread;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, work, NULL) == 0) {
        (void)pthread_detach(thread);
        pool.workers++;
    } else {
        pool.is_full = true;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The threads of the pool do not live on in the child of a fork, which gets a pool of its own. */
static void start_anew(void) {
    pool.called = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.jobs = NULL;
    pool.waiting = pool.sleeping = pool.workers = 0;
    pool.is_full = false;
    unlock();
}

static void prepare(void) { (void)pthread_atfork(lock, unlock, start_anew); }

static void publish(job *job) {
    (void)pthread_once(&prepared, prepare);
    lock();
    job->following = pool.jobs;
    pool.jobs = job;
    while (pool.workers < job->threads - 1 && !pool.is_full) {
        add_worker();
    }
    __atomic_store_n(&pool.calls, pool.calls + 1, __ATOMIC_RELEASE);
    for (int32_t i = 0; i < pool.sleeping && i < job->threads - 1; i++) {
        (void)pthread_cond_signal(&pool.called);
    }
    unlock();
}

/* Nobody joins from here on. */
static void withdraw(const job *job) {
    lock();
    struct job **link = &pool.jobs;
    while (*link != job) {
        link = &(*link)->following;
    }
    *link = job->following;
    unlock();
}

static bool is_left(const job *job) {
    return __atomic_load_n(&job->present, __ATOMIC_SEQ_CST) == 0;
}

static void await_others(const job *job) {
    for (int32_t i = 0; i < ROUNDS; i++) {
        if (is_left(job)) {
            return;
        }
        relax();
    }
    lock();
    (void)__atomic_add_fetch(&pool.waiting, 1, __ATOMIC_SEQ_CST);
    while (!is_left(job)) {
        (void)pthread_cond_wait(&pool.left, &pool.lock);
    }
    (void)__atomic_sub_fetch(&pool.waiting, 1, __ATOMIC_SEQ_CST);
    unlock();
}

static void run_on(int32_t threads, int64_t tasks, opmill_task *run, void *state) {
    job job = {.run = run, .state = state, .tasks = tasks, .threads = threads, .joined = 1};
    publish(&job);
    take_part(&job, 0);
    withdraw(&job);
    await_others(&job);
}

#elif defined(_OPENMP)

static void run_on(int32_t threads, int64_t tasks, opmill_task *run, void *state) {
    int64_t task;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (task = 0; task < tasks; task++) {
        run(state, task, (int32_t)omp_get_thread_num());
    }
}

#endif

void opmill_parallel(int64_t tasks, int32_t threads, opmill_task *run, void *state) {
#if POOL || defined(_OPENMP)
    const int32_t limit = sensible(threads);
    if (limit > 1 && tasks > 1) {
        run_on(tasks < limit ? (int32_t)tasks : limit, tasks, run, state);
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
