/* Eight threads that call the same operators at once, each with other data at a time, for
 * ThreadSanitizer and for anything that calls would share. */
#include "calls.h"
#include "compare.h"

#if defined(__unix__) || defined(__APPLE__)

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

enum { THREADS = 8, ROUNDS = 3, MAX_JOBS = 512, EACH_TABLE = 40 };

/* A call, made ready before the threads start: they only read it. */
typedef struct job {
    const case_table *table;
    const opmill_operator *operator;
    const void *attributes;
    call_tensors inputs, expected;
    size_t workspace;
} job;

static job jobs[MAX_JOBS];
static int job_count;

typedef struct worker {
    pthread_t thread;
    int number;
    long calls, wrong;
} worker;

static int call_once(const job *work, void *data, void *workspace) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    opmill_tensor output = work->expected.tensors[0];
    opmill_tensor *const outputs[] = {&output};
    output.data = data;
    context.workspace = workspace;
    context.workspace_size = work->workspace;
    context.threads = 2;
    return opmill_run(work->operator, work->inputs.given, work->inputs.count, work->attributes,
                      outputs, 1, &context);
}

static void *work_off(void *argument) {
    worker *const self = argument;
    for (int i = 0; i < job_count * ROUNDS; i++) {
        const job *const work = &jobs[(i + self->number * job_count / THREADS) % job_count];
        const opmill_tensor *const expected = &work->expected.tensors[0];
        const size_t bytes = type_bytes(expected->type, count_of(expected->dims, expected->rank));
        void *const data = malloc(bytes + 1), *const workspace = malloc(work->workspace + 1);
        self->calls++;
        if (data == NULL || workspace == NULL || call_once(work, data, workspace) != OPMILL_OK ||
            memcmp(data, expected->data, bytes) != 0) {
            self->wrong++;
        }
        free(data);
        free(workspace);
    }
    return NULL;
}

static void prepare(const case_table *table, const case_example *example) {
    job *const added = &jobs[job_count];
    call_tensors model;
    opmill_context context = OPMILL_CONTEXT_INIT;
    added->table = table;
    added->operator = operator_of(table);
    added->attributes = example->attributes;
    context.threads = 2;
    tensors_of_case(&added->inputs, example->inputs, example->input_count, NULL, 0, -1, 0);
    tensors_of_case(&model, example->outputs, example->output_count, NULL, 0, -1, 0);
    tensors_like(&added->expected, &model, true);
    tensors_free(&model);
    about("%s '%s'", added->operator->label, example->name);
    check(opmill_workspace(added->operator, added->inputs.given, added->inputs.count,
                           added->attributes, 1, &added->workspace, &context) == OPMILL_OK,
          "the workspace is returned");
    void *const workspace = malloc(added->workspace + 1);
    check(workspace != NULL &&
              call_once(added, added->expected.tensors[0].data, workspace) == OPMILL_OK,
          "the call succeeds"); /* by itself; that it is right is checked elsewhere */
    free(workspace);
    job_count++;
}

int main(void) {
    static worker workers[THREADS];
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_table *const table = case_table_at(i);
        const case_example *example = next_example(table, NULL);
        for (int k = 0; example != NULL && k < EACH_TABLE; k++) {
            if (job_count < MAX_JOBS && example->output_count == 1 &&
                operator_of(table)->creates_strings == 0 && /* each call has others */
                operator_of(table)->creates_tensors == 0 &&
                cases_fit(example->inputs, example->input_count) &&
                cases_fit(example->outputs, 1)) {
                prepare(table, example);
            }
            example = next_example(table, example);
        }
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        about("thread %d", i);
        check(pthread_create(&workers[i].thread, NULL, work_off, &workers[i]) == 0, "it starts");
    }
    for (int i = 0; i < THREADS; i++) {
        about("thread %d", i);
        check(pthread_join(workers[i].thread, NULL) == 0, "it ends");
        check(workers[i].calls > 0 && workers[i].wrong == 0, "its results are the same");
    }
    return finish("8 threads");
}

#else

int main(void) {
    check(true, "");
    return finish("no POSIX threads here: not run");
}

#endif
