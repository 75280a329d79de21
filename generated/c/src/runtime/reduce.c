#include "runtime/reduce.h"

#include <string.h>

#include "runtime/halves.h"
#include "runtime/isa.h"
#include "runtime/parallel.h"
#include "runtime/platform.h"
#include "runtime/reduce_walk.h"

/* Below so many elements one thread is faster than several, and so many are a task. One sum of all
 * elements is made of at most so many parts, whatever the number of threads. */
enum {
    FEW_ELEMENTS = 1 << 15,
    LEAST_PART = 1 << 15,
    MOST_PARTS = 128,
    LEAST_COLUMNS = 64,
    LONGEST_FOLD = 256
};

typedef struct loops {
    opmill_task *part;
    void (*join)(const opmill_reduce_walk *walk);
    opmill_task *rows;
    opmill_task *columns;
    int64_t bytes; /* of an element */
} loops;

enum kinds { FLOATS, DOUBLES, FLOAT16S, BFLOAT16S, INTS_32, INTS_64 };

#define SET(name) name##_baseline
#include "runtime/reduce_types.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define SET(name) name##_avx2
#include "runtime/reduce_types.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define SET(name) name##_avx512
#include "runtime/reduce_types.h"
OPMILL_TARGET_END
#endif

static enum kinds kind_of(int32_t type) {
    switch (type) {
    case OPMILL_FLOAT:
        return FLOATS;
    case OPMILL_DOUBLE:
        return DOUBLES;
    case OPMILL_FLOAT16:
        return FLOAT16S;
    case OPMILL_BFLOAT16:
        return BFLOAT16S;
    case OPMILL_INT32:
    case OPMILL_UINT32:
        return INTS_32;
    default: /* int64 and uint64 */
        return INTS_64;
    }
}

static const loops *sums_of(int32_t type, int32_t isa) {
    const enum kinds kind = kind_of(type);
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return &SUMS_avx512[kind];
    }
    if (isa == OPMILL_ISA_AVX2) {
        return &SUMS_avx2[kind];
    }
#else
    (void)isa;
#endif
    return &SUMS_baseline[kind];
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
    walk->sums_inner = count == 0 || gone[0];
    walk->length = count == 0 ? 1 : dims[0];
    walk->kept.count = walk->gone.count = 0;
    walk->kept.size = walk->gone.size = 1;
    for (int32_t i = 1; i < count; i++) {
        opmill_reduce_axes *const axes = gone[i] ? &walk->gone : &walk->kept;
        axes->dims[axes->count] = dims[i];
        axes->strides[axes->count++] = strides[i];
        axes->size *= dims[i];
    }
}

/* Takes several short rows for one where they follow each other. */
static void fold_rows(opmill_reduce_walk *walk) {
    const int64_t rows = walk->gone.size;
    if (walk->gone.count == 1 && walk->gone.strides[0] == walk->length &&
        walk->length <= LONGEST_FOLD / 2 && rows > 1) {
        walk->fold = LONGEST_FOLD / walk->length < rows ? LONGEST_FOLD / walk->length : rows;
        walk->rest = rows % walk->fold * walk->length;
        walk->length *= walk->fold;
        walk->gone.size = walk->gone.dims[0] = rows / walk->fold;
        walk->gone.strides[0] = walk->length;
    }
}

static int64_t parts_of(int64_t whole, int64_t part) { return whole / part + (whole % part != 0); }

/* How a call is done. */
typedef enum { EMPTY, FILL, COPY, WHOLE, ROWS, COLUMNS } ways;

typedef struct job {
    ways way;
    int64_t bytes; /* to fill or copy */
    int64_t tasks;
    int32_t threads;
} job;

static job divide(opmill_reduce_walk *walk, int64_t size, int32_t threads) {
    job made = {.threads = size > FEW_ELEMENTS && threads > 1 ? threads : 1};
    if (walk->sums_inner && walk->kept.size == 1 && walk->gone.size == 1) {
        made.way = WHOLE;
        walk->share = walk->length / MOST_PARTS / OPMILL_REDUCE_BLOCK * OPMILL_REDUCE_BLOCK +
                      OPMILL_REDUCE_BLOCK;
        if (walk->share < LEAST_PART) {
            walk->share = LEAST_PART;
        }
        made.tasks = walk->shares = parts_of(walk->length, walk->share);
    } else if (walk->sums_inner) {
        made.way = ROWS;
        walk->share = walk->kept.size / ((int64_t)made.threads * 4) + 1;
        made.tasks = parts_of(walk->kept.size, walk->share);
    } else {
        made.way = COLUMNS;
        fold_rows(walk);
        walk->width = walk->length;
        if (walk->fold == 1) {
            /* The threads divide the columns; the width is no matter to the sums. */
            const int64_t even = parts_of(parts_of(walk->length, made.threads), LEAST_COLUMNS);
            walk->width = even * LEAST_COLUMNS < OPMILL_REDUCE_COLUMNS ? even * LEAST_COLUMNS
                                                                       : OPMILL_REDUCE_COLUMNS;
        }
        walk->groups = parts_of(walk->length, walk->width);
        const int64_t groups = walk->kept.size * walk->groups;
        walk->share = FEW_ELEMENTS / (size / groups + 1) + 1;
        made.tasks = parts_of(groups, walk->share);
    }
    if (made.tasks < made.threads) {
        made.threads = (int32_t)made.tasks;
    }
    return made;
}

static job prepare(opmill_reduce_walk *walk, const opmill_tensor *data, const int64_t *reduces,
                   int32_t threads, int64_t element_bytes) {
    int64_t size = 1, sums = 1;
    bool copies = true;
    for (int32_t i = 0; i < data->rank; i++) {
        size *= data->dims[i];
        sums *= reduces[i] != 0 ? 1 : data->dims[i];
        copies = copies && (reduces[i] == 0 || data->dims[i] == 1);
    }
    if (sums == 0 || size == 0 || copies) {
        const ways way = sums == 0 ? EMPTY : size == 0 ? FILL : COPY;
        return (job){way, sums * element_bytes, 1, 1};
    }
    lay_out(walk, data, reduces);
    return divide(walk, size, threads);
}

void opmill_reduce_sum(const opmill_tensor *data, const int64_t *reduces, void *to,
                       const opmill_context *context) {
    const loops *const found = sums_of(data->type, opmill_isa_select(context->isa));
    opmill_reduce_part parts[MOST_PARTS];
    opmill_reduce_walk walk = {.data = data->data, .to = to, .fold = 1, .parts = parts};
    const job made = prepare(&walk, data, reduces, context->threads, found->bytes);
    switch (made.way) {
    case FILL:
        memset(to, 0, (size_t)made.bytes);
        break;
    case COPY:
        memcpy(to, data->data, (size_t)made.bytes);
        break;
    case WHOLE:
        opmill_parallel(made.tasks, made.threads, found->part, &walk);
        found->join(&walk);
        break;
    case ROWS:
        opmill_parallel(made.tasks, made.threads, found->rows, &walk);
        break;
    case COLUMNS:
        opmill_parallel(made.tasks, made.threads, found->columns, &walk);
        break;
    case EMPTY:
        break;
    }
}

void opmill_reduce_choose(const opmill_tensor *data, const int64_t *reduces,
                          const opmill_context *context, opmill_choice *choice) {
    static const char *const names[] = {"empty", "fill", "memcpy", "whole", "rows", "columns"};
    const int32_t isa = opmill_isa_select(context->isa);
    opmill_reduce_walk walk = {.fold = 1};
    const job made = prepare(&walk, data, reduces, context->threads, 1);
    const bool looped = made.way == WHOLE || made.way == ROWS || made.way == COLUMNS;
    *choice =
        (opmill_choice){made.way == COLUMNS && walk.fold > 1 ? "columns+fold" : names[made.way],
                        looped ? isa : OPMILL_ISA_PLAIN, made.threads};
}
