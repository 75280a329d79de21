#include "families/softmax/lines.h"

#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"

enum { THREAD_ELEMENTS = 32 * 1024 }; /* the minimum that is worth a thread of its own */

typedef struct job {
    const opmill_softmax_loops *loops;
    opmill_softmax_function function;
    const uint8_t *from;
    uint8_t *to;
    int64_t bytes;    /* of an element */
    int64_t matrices; /* of length x step elements */
    int64_t length;
    int64_t step;
    int64_t groups; /* of columns in a matrix, taken together */
    int64_t tasks;
    int64_t share; /* of the groups of all matrices, for a task */
    int32_t threads;
} job;

static job prepare(const opmill_tensor *input, int64_t begin, int64_t end,
                   const opmill_context *context) {
    job made = {.matrices = 1, .length = 1, .step = 1, .threads = 1};
    for (int64_t i = 0; i < input->rank; i++) {
        int64_t *const part = i < begin ? &made.matrices : i < end ? &made.length : &made.step;
        *part *= input->dims[i];
    }
    const int64_t size = made.matrices * made.length * made.step;
    if (size > 0) {
        const int64_t most = size / THREAD_ELEMENTS;
        made.bytes = opmill_type_bytes(input->type);
        made.groups = (made.step - 1) / OPMILL_SOFTMAX_COLUMNS + 1;
        made.threads = most < context->threads ? (int32_t)most : context->threads;
        made.threads = made.threads > 1 ? made.threads : 1;
        made.share = (made.matrices * made.groups - 1) / made.threads + 1;
        made.tasks = (made.matrices * made.groups - 1) / made.share + 1;
        made.threads = made.tasks < made.threads ? (int32_t)made.tasks : made.threads;
    }
    return made;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    const int64_t all = made->matrices * made->groups, first = task * made->share;
    const int64_t last = all - first < made->share ? all : first + made->share;
    (void)worker;
    if (made->step == 1) {
        const int64_t at = first * made->length * made->bytes;
        made->loops->rows[made->function](made->from + at, made->to + at, made->length,
                                          last - first);
        return;
    }
    for (int64_t i = first; i < last; i++) {
        const int64_t column = i % made->groups * OPMILL_SOFTMAX_COLUMNS;
        const int64_t at = (i / made->groups * made->length * made->step + column) * made->bytes;
        const int64_t left = made->step - column;
        made->loops->columns[made->function](
            made->from + at, made->to + at, made->length, made->step,
            left < OPMILL_SOFTMAX_COLUMNS ? left : OPMILL_SOFTMAX_COLUMNS);
    }
}

void opmill_softmax_run(opmill_softmax_function function, const opmill_tensor *input, int64_t begin,
                        int64_t end, void *to, const opmill_context *context) {
    job made = prepare(input, begin, end, context);
    if (made.tasks > 0) {
        made.loops = opmill_softmax_loops_of(input->type, opmill_isa_select(context->isa));
        made.function = function;
        made.from = input->data;
        made.to = to;
        opmill_parallel(made.tasks, made.threads, run_task, &made);
    }
}

void opmill_softmax_choose(const opmill_tensor *input, int64_t begin, int64_t end,
                           const opmill_context *context, opmill_choice *choice) {
    const job made = prepare(input, begin, end, context);
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (made.tasks > 0) {
        choice->variant = made.step == 1 ? "rows" : "columns";
        choice->isa = opmill_isa_select(context->isa);
        choice->threads = made.threads;
    }
}
