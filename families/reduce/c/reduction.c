/* Plans and runs reductions: merges axes, selects loops by operation and type, and reduces rows,
 * columns or, in parts, the whole tensor in parallel. */
#include "families/reduce/reduction.h"

#include <string.h>

#include "families/reduce/finish.h"
#include "families/reduce/walk.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"

/* Up to so many elements, one thread is faster than several, and so many are a task. One result of
 * all elements is made of at most so many parts, whatever the number of threads. */
enum {
    SMALL_INPUT = 1 << 15,
    MIN_PART = 1 << 15,
    MAX_PARTS = 128,
    PARTS = OPMILL_ON_STACK(MAX_PARTS, 16),
    MIN_COLUMNS = 64
};

/* Finds the function of a type for an instruction set. */
typedef opmill_math_loop *math_finder(int32_t type, int32_t isa);

/* How an operation is done: its loops for floats and for integers, and its last step. Each is an
 * object of its own, so that a program has the loops of its operations alone. */
struct opmill_reduction {
    opmill_reduce_finder *reals;
    opmill_reduce_finder *integers;
    opmill_reduce_last last;
    bool as_doubles;              /* integers */
    bool copies;                  /* one element is its own result */
    opmill_reduce_finder *shifts; /* those of the largest elements; or NULL */
    math_finder *log, *exp;       /* or NULL */
};

const opmill_reduction opmill_reduction_l1 = {
    .reals = opmill_reduce_magnitudes,
    .integers = opmill_reduce_magnitudes,
    .last = OPMILL_REDUCE_AS_IT_IS,
};

const opmill_reduction opmill_reduction_l2 = {
    .reals = opmill_reduce_squares,
    .integers = opmill_reduce_exact_squares,
    .last = OPMILL_REDUCE_ROOT,
};

const opmill_reduction opmill_reduction_log_sum = {
    .reals = opmill_reduce_sums,
    .integers = opmill_reduce_sums,
    .last = OPMILL_REDUCE_LOG,
    .as_doubles = true,
    .log = opmill_math_log,
};

const opmill_reduction opmill_reduction_log_sum_exp = {
    .reals = opmill_reduce_exponentials,
    .integers = opmill_reduce_exponentials,
    .last = OPMILL_REDUCE_LOG_AND_SHIFT,
    .as_doubles = true,
    .copies = true,
    .shifts = opmill_reduce_maxima,
    .log = opmill_math_log,
    .exp = opmill_math_exp,
};

const opmill_reduction opmill_reduction_max = {
    .reals = opmill_reduce_maxima,
    .integers = opmill_reduce_maxima,
    .last = OPMILL_REDUCE_AS_IT_IS,
    .copies = true,
};

const opmill_reduction opmill_reduction_mean = {
    .reals = opmill_reduce_sums,
    .integers = opmill_reduce_exact_sums,
    .last = OPMILL_REDUCE_MEAN_OF_TERMS,
    .copies = true,
};

const opmill_reduction opmill_reduction_min = {
    .reals = opmill_reduce_minima,
    .integers = opmill_reduce_minima,
    .last = OPMILL_REDUCE_AS_IT_IS,
    .copies = true,
};

const opmill_reduction opmill_reduction_prod = {
    .reals = opmill_reduce_products,
    .integers = opmill_reduce_products,
    .last = OPMILL_REDUCE_AS_IT_IS,
    .copies = true,
};

const opmill_reduction opmill_reduction_sum = {
    .reals = opmill_reduce_sums,
    .integers = opmill_reduce_sums,
    .last = OPMILL_REDUCE_AS_IT_IS,
    .copies = true,
};

const opmill_reduction opmill_reduction_sum_square = {
    .reals = opmill_reduce_squares,
    .integers = opmill_reduce_squares,
    .last = OPMILL_REDUCE_AS_IT_IS,
};

static opmill_reduce_kind kind_of(int32_t type) {
    switch (type) {
    case OPMILL_FLOAT:
        return OPMILL_REDUCE_FLOAT;
    case OPMILL_DOUBLE:
        return OPMILL_REDUCE_DOUBLE;
    case OPMILL_FLOAT16:
        return OPMILL_REDUCE_FLOAT16;
    case OPMILL_BFLOAT16:
        return OPMILL_REDUCE_BFLOAT16;
    case OPMILL_INT32:
        return OPMILL_REDUCE_INT32;
    case OPMILL_UINT32:
        return OPMILL_REDUCE_UINT32;
    case OPMILL_INT64:
        return OPMILL_REDUCE_INT64;
    case OPMILL_UINT64:
        return OPMILL_REDUCE_UINT64;
    case OPMILL_INT8:
        return OPMILL_REDUCE_INT8;
    case OPMILL_UINT8:
        return OPMILL_REDUCE_UINT8;
    default:
        return OPMILL_REDUCE_BOOL;
    }
}

static size_t bytes_of(opmill_reduce_kind kind) {
    switch (kind) {
    case OPMILL_REDUCE_DOUBLE:
    case OPMILL_REDUCE_INT64:
    case OPMILL_REDUCE_UINT64:
        return 8;
    case OPMILL_REDUCE_FLOAT16:
    case OPMILL_REDUCE_BFLOAT16:
        return 2;
    case OPMILL_REDUCE_INT8:
    case OPMILL_REDUCE_UINT8:
    case OPMILL_REDUCE_BOOL:
        return 1;
    default:
        return 4;
    }
}

static bool is_real(opmill_reduce_kind kind) { return kind <= OPMILL_REDUCE_BFLOAT16; }

static opmill_reduce_kind as_double(opmill_reduce_kind kind) {
    switch (kind) {
    case OPMILL_REDUCE_INT32:
        return OPMILL_REDUCE_INT32_AS_DOUBLE;
    case OPMILL_REDUCE_UINT32:
        return OPMILL_REDUCE_UINT32_AS_DOUBLE;
    case OPMILL_REDUCE_INT64:
        return OPMILL_REDUCE_INT64_AS_DOUBLE;
    case OPMILL_REDUCE_UINT64:
        return OPMILL_REDUCE_UINT64_AS_DOUBLE;
    default:
        return kind;
    }
}

/* From the innermost axis outwards; axes of 1 go, and those that follow each other are joined. */
static void lay_out(opmill_reduce_walk *walk, const opmill_tensor *data, const int64_t *reduces) {
    int64_t dims[OPMILL_MAX_RANK], strides[OPMILL_MAX_RANK], stride = 1;
    bool gone[OPMILL_MAX_RANK];
    int32_t count = 0;
    for (int32_t i = data->rank - 1; i >= 0; i--) {
        const bool marked = reduces[i] != 0;
        if (data->dims[i] == 1) {
            continue;
        }
        if (count > 0 && gone[count - 1] == marked) {
            dims[count - 1] *= data->dims[i];
        } else {
            dims[count] = data->dims[i];
            strides[count] = stride;
            gone[count++] = marked;
        }
        stride *= data->dims[i];
    }
    walk->reduces_inner = count == 0 || gone[0];
    walk->length = count == 0 ? 1 : dims[0];
    walk->remaining.count = walk->gone.count = 0;
    walk->remaining.size = walk->gone.size = 1;
    for (int32_t i = 1; i < count; i++) {
        opmill_reduce_axes *const axes = gone[i] ? &walk->gone : &walk->remaining;
        axes->dims[axes->count] = dims[i];
        axes->strides[axes->count++] = strides[i];
        axes->size *= dims[i];
    }
}

/* Takes several short rows for one where they follow each other. */
static void fold_rows(opmill_reduce_walk *walk) {
    const int64_t rows = walk->gone.size;
    if (walk->gone.count == 1 && walk->gone.strides[0] == walk->length &&
        walk->length <= OPMILL_REDUCE_FOLD / 2 && rows > 1) {
        const int64_t fold = OPMILL_REDUCE_FOLD / walk->length;
        walk->fold = fold < rows ? fold : rows;
        walk->rest = rows % walk->fold * walk->length;
        walk->length *= walk->fold;
        walk->gone.size = walk->gone.dims[0] = rows / walk->fold;
        walk->gone.strides[0] = walk->length;
    }
}

static int64_t parts_of(int64_t whole, int64_t part) { return whole / part + (whole % part != 0); }

/* How a call is done. */
typedef enum { EMPTY, FILL, COPY, WHOLE, ROWS, COLUMNS } strategy;

typedef struct reduce_job {
    opmill_reduce_walk walk;
    opmill_reduce_finish finish;
    const opmill_reduce_loops *loops;
    const opmill_reduce_loops *maxima; /* for shifts; NULL where there are none */
    void *to;
    opmill_reduce_shifts *shifts; /* of the one result of all elements */
    int64_t results;
    strategy strategy;
    int64_t tasks;
    int32_t threads;
} reduce_job;

static void divide(reduce_job *job, int64_t size, int32_t threads) {
    opmill_reduce_walk *const walk = &job->walk;
    job->threads = size > SMALL_INPUT && threads > 1 ? threads : 1;
    if (walk->reduces_inner && walk->remaining.size == 1 && walk->gone.size == 1) {
        job->strategy = WHOLE;
        walk->share = walk->length / MAX_PARTS / OPMILL_REDUCE_BLOCK * OPMILL_REDUCE_BLOCK +
                      OPMILL_REDUCE_BLOCK;
        if (walk->share < MIN_PART) {
            walk->share = MIN_PART;
        }
        job->tasks = parts_of(walk->length, walk->share);
    } else if (walk->reduces_inner) {
        job->strategy = ROWS;
        walk->share = walk->remaining.size / ((int64_t)job->threads * 4) + 1;
        job->tasks = parts_of(walk->remaining.size, walk->share);
    } else {
        job->strategy = COLUMNS;
        fold_rows(walk);
        walk->width = walk->length;
        if (walk->fold == 1) {
            /* The threads divide the columns; the width is no matter to the results. */
            const int64_t even = parts_of(parts_of(walk->length, job->threads), MIN_COLUMNS);
            walk->width = even * MIN_COLUMNS < OPMILL_REDUCE_COLUMNS ? even * MIN_COLUMNS
                                                                     : OPMILL_REDUCE_COLUMNS;
        }
        const bool unfolds = OPMILL_REDUCE_UNFOLDS && walk->fold > 1;
        const int64_t all = unfolds ? walk->length / walk->fold : walk->length;
        if (unfolds) {
            walk->width = all < OPMILL_REDUCE_COLUMNS ? all : OPMILL_REDUCE_COLUMNS;
        }
        walk->groups = parts_of(all, walk->width);
        const int64_t groups = walk->remaining.size * walk->groups;
        walk->share = SMALL_INPUT / (size / groups + 1) + 1;
        job->tasks = parts_of(groups, walk->share);
    }
    if (job->tasks < job->threads) {
        job->threads = (int32_t)job->tasks;
    }
}

static void prepare(reduce_job *job, const opmill_reduction *wanted, const opmill_tensor *data,
                    const int64_t *reduces, const opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
    const opmill_reduce_kind kind = kind_of(data->type);
    const opmill_reduce_kind loops = wanted->as_doubles ? as_double(kind) : kind;
    memset(job, 0, sizeof *job);
    job->walk.data = data->data;
    job->walk.fold = 1;
    job->tasks = job->threads = 1;
    uint64_t size = 1, results = 1, terms = 1; /* wrap around where another dim is 0 */
    bool copies = wanted->copies, empty = false;
    for (int32_t i = 0; i < data->rank; i++) {
        size *= (uint64_t)data->dims[i];
        *(reduces[i] == 0 ? &results : &terms) *= (uint64_t)data->dims[i];
        empty = empty || data->dims[i] == 0;
        copies = copies && (reduces[i] == 0 || data->dims[i] == 1);
    }
    job->results = (int64_t)results;
    job->finish.terms = empty ? 0 : (int64_t)terms;
    job->loops = (is_real(kind) ? wanted->reals : wanted->integers)(loops, isa);
    job->finish.last = wanted->last;
    job->finish.type = data->type;
    job->finish.member = job->loops->member;
    job->finish.log = wanted->log == NULL ? NULL : wanted->log(OPMILL_DOUBLE, isa);
    if (wanted->shifts != NULL) {
        const bool as_floats = is_real(kind) && kind != OPMILL_REDUCE_DOUBLE;
        job->maxima = wanted->shifts(kind, isa);
        job->finish.double_shifts = !as_floats;
        job->walk.exp = wanted->exp(as_floats ? OPMILL_FLOAT : OPMILL_DOUBLE, isa);
    }
    if (job->results == 0 || empty || copies) {
        job->strategy = job->results == 0 ? EMPTY : empty ? FILL : COPY;
    } else {
        lay_out(&job->walk, data, reduces);
        divide(job, (int64_t)size, context->threads);
    }
}

/* The results of no elements. As the other strategies it is a task, so that it is not inlined:
 * their totals would be on the stack together. */
static void fill(void *state, int64_t task, int32_t worker) {
    const reduce_job *const job = state;
    opmill_reduce_totals totals;
    opmill_reduce_shifts shifts;
    (void)task;
    (void)worker;
    memset(&shifts, 0, sizeof shifts);
    for (int64_t i = 0; i < job->results; i += OPMILL_REDUCE_COLUMNS) {
        const int64_t left = job->results - i;
        const int64_t count = left < OPMILL_REDUCE_COLUMNS ? left : OPMILL_REDUCE_COLUMNS;
        job->loops->none(&totals, count);
        opmill_reduce_finish_totals(&job->finish, &totals, &shifts, job->to, i, count);
    }
}

static void share_of_maximum(void *state, int64_t task, int32_t worker) {
    const reduce_job *const job = state;
    (void)worker;
    job->maxima->part(&job->walk, job->walk.part + task, NULL);
}

static void share_of_whole(void *state, int64_t task, int32_t worker) {
    const reduce_job *const job = state;
    (void)worker;
    job->loops->part(&job->walk, job->walk.part + task, job->shifts);
}

/* All shares of the one result, as many at a time as there is memory for. */
static void in_parts(reduce_job *job, const opmill_reduce_loops *loops, opmill_task *share,
                     opmill_reduce_totals *totals) {
    for (job->walk.part = 0; job->walk.part < job->tasks; job->walk.part += PARTS) {
        const int64_t left = job->tasks - job->walk.part, count = left < PARTS ? left : PARTS;
        opmill_parallel(count, job->threads, share, job);
        loops->join(&job->walk, count, totals);
    }
}

/* The one result of all elements. */
static void whole(void *state, int64_t task, int32_t worker) {
    reduce_job *const job = state;
    opmill_reduce_total parts[PARTS];
    opmill_reduce_totals totals;
    opmill_reduce_shifts shifts;
    (void)task;
    (void)worker;
    job->walk.parts = parts;
    job->shifts = &shifts;
    if (job->maxima != NULL) {
        in_parts(job, job->maxima, share_of_maximum, &totals);
        opmill_reduce_shifts_of(&totals, job->maxima->member, job->finish.double_shifts, &shifts,
                                1);
    }
    in_parts(job, job->loops, share_of_whole, &totals);
    opmill_reduce_finish_totals(&job->finish, &totals, &shifts, job->to, 0, 1);
}

/* A share of the results whose innermost elements are adjacent, some at a time. */
static void rows(void *state, int64_t task, int32_t worker) {
    const reduce_job *const job = state;
    const opmill_reduce_walk *const walk = &job->walk;
    const int64_t first = task * walk->share, left = walk->remaining.size - first;
    const int64_t end = left < walk->share ? walk->remaining.size : first + walk->share;
    opmill_reduce_totals totals;
    opmill_reduce_shifts shifts;
    (void)worker;
    for (int64_t k = first; k < end; k += OPMILL_REDUCE_RESULTS) {
        const int64_t count = end - k < OPMILL_REDUCE_RESULTS ? end - k : OPMILL_REDUCE_RESULTS;
        if (job->maxima != NULL) {
            job->maxima->rows(walk, k, count, NULL, &totals);
            opmill_reduce_shifts_of(&totals, job->maxima->member, job->finish.double_shifts,
                                    &shifts, count);
        }
        job->loops->rows(walk, k, count, &shifts, &totals);
        opmill_reduce_finish_totals(&job->finish, &totals, &shifts, job->to, k, count);
    }
}

/* Some groups of adjacent results. */
static void columns(void *state, int64_t task, int32_t worker) {
    const reduce_job *const job = state;
    const opmill_reduce_walk *const walk = &job->walk;
    const int64_t last = walk->remaining.size * walk->groups, results = walk->length / walk->fold;
    const bool unfolds = OPMILL_REDUCE_UNFOLDS && walk->fold > 1;
    int64_t group = task * walk->share;
    const int64_t end = last - group < walk->share ? last : group + walk->share;
    opmill_reduce_position matrix = opmill_reduce_begin(&walk->remaining, group / walk->groups);
    opmill_reduce_totals totals;
    opmill_reduce_shifts shifts;
    (void)worker;
    for (; group < end; group++) {
        const int64_t at = group % walk->groups, first = at * walk->width;
        const int64_t left = (unfolds ? results : walk->length) - first;
        const int64_t width = left < walk->width ? left : walk->width;
        const int64_t count = unfolds ? width : width / walk->fold;
        if (job->maxima != NULL) {
            job->maxima->columns(walk, matrix.offset + first, width, NULL, &totals);
            opmill_reduce_shifts_of(&totals, job->maxima->member, job->finish.double_shifts,
                                    &shifts, count);
        }
        job->loops->columns(walk, matrix.offset + first, width, &shifts, &totals);
        opmill_reduce_finish_totals(&job->finish, &totals, &shifts, job->to,
                                    group / walk->groups * results + first, count);
        if (at + 1 == walk->groups) {
            opmill_reduce_step(&walk->remaining, &matrix);
        }
    }
}

void opmill_reduce_run(const opmill_reduction *reduction, const opmill_tensor *data,
                       const int64_t *reduces, void *to, const opmill_context *context) {
    reduce_job job;
    prepare(&job, reduction, data, reduces, context);
    job.to = to;
    switch (job.strategy) {
    case EMPTY:
        break;
    case FILL:
        opmill_parallel(1, 1, fill, &job);
        break;
    case COPY:
        memcpy(to, data->data, (size_t)job.results * bytes_of(kind_of(data->type)));
        break;
    case WHOLE:
        opmill_parallel(1, 1, whole, &job);
        break;
    case ROWS:
        opmill_parallel(job.tasks, job.threads, rows, &job);
        break;
    case COLUMNS:
        opmill_parallel(job.tasks, job.threads, columns, &job);
        break;
    }
}

void opmill_reduce_choose(const opmill_reduction *reduction, const opmill_tensor *data,
                          const int64_t *reduces, const opmill_context *context,
                          opmill_choice *choice) {
    static const char *const names[] = {"empty", "fill", "memcpy", "whole", "rows", "columns"};
    reduce_job job;
    prepare(&job, reduction, data, reduces, context);
    const bool looped = job.strategy == WHOLE || job.strategy == ROWS || job.strategy == COLUMNS;
    const bool folded = job.strategy == COLUMNS && job.walk.fold > 1;
    *choice =
        (opmill_choice){folded ? "columns+fold" : names[job.strategy],
                        looped ? opmill_isa_select(context->isa) : OPMILL_ISA_PLAIN, job.threads};
}
