/* Runs a computation of any number of broadcast inputs, in parallel, piece by piece. Inputs that
 * are not contiguous in a piece are copied into a block on the stack. */
#include "runtime/elementwise/elementwise_several.h"

#include <string.h>

#include "runtime/copy/copy_movers.h"
#include "runtime/numbers/elements.h"
#include "runtime/elementwise/elementwise_shares.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/stream.h"

enum { SHORT_RUN = 256 }; /* elements: for shorter runs, overhead dominates */

/* The widest element, complex128. */
typedef struct wide {
    uint64_t halves[2];
} wide;

struct opmill_several_piece {
    const opmill_several *several;
    int64_t count;
    int64_t begin; /* the first element, in its run */
    int32_t top;   /* the outermost level on which the piece has several positions */
    /* Of the first element's run, on all levels but the innermost. */
    int64_t index[OPMILL_MAX_RANK];
    union {
        char bytes[OPMILL_PIECE_BYTES];
        wide aligned;
    } slots[OPMILL_PIECE_SLOTS];
};

typedef struct several_job {
    const opmill_several *several;
    const opmill_mover *mover;
    char *to;
    int64_t count; /* of all elements */
    int64_t run;   /* elements of the innermost level */
    int64_t piece_count;
    opmill_shares shares;
} several_job;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* True if an input has the positions of an axis of the output, which has several. */
static bool has_axis(const opmill_tensor *input, int32_t rank, int32_t axis) {
    const int32_t own = axis - (rank - input->rank);
    return own >= 0 && input->dims[own] != 1;
}

void opmill_several_begin(opmill_several *several, opmill_several_compute *compute,
                          const void *plan, int32_t isa, const opmill_tensor *const *inputs,
                          int32_t input_count, const int64_t *dims, int32_t rank,
                          int32_t to_bytes) {
    int32_t bytes = to_bytes;
    several->compute = compute;
    several->plan = plan;
    several->inputs = inputs;
    several->isa = isa;
    several->rank = rank;
    several->to_bytes = to_bytes;
    several->empty = false;
    several->count = 0;
    for (int32_t k = 0; k < input_count; k++) {
        const int32_t own = opmill_type_bytes(inputs[k]->type);
        bytes = own > bytes ? own : bytes;
    }
    several->piece_count = OPMILL_PIECE_BYTES / bytes;
    for (int32_t i = 0; i < rank; i++) {
        opmill_several_level *const last = &several->levels[several->count - (several->count > 0)];
        bool joins = several->count > 0;
        if (dims[i] == 0) {
            several->empty = true;
            return;
        }
        if (dims[i] == 1) {
            continue;
        }
        for (int32_t k = 0; joins && k < input_count; k++) {
            joins = has_axis(inputs[k], rank, i) == has_axis(inputs[k], rank, last->axis);
        }
        if (joins) {
            last->size *= dims[i];
        } else {
            several->levels[several->count++] = (opmill_several_level){dims[i], i};
        }
    }
    if (several->count == 0) { /* a single element: every input has it */
        several->levels[several->count++] = (opmill_several_level){1, -1};
    }
}

/* Copies or repeats elements, run by run, until `count` are written. `steps` are the elements from
 * one position of a level to the next; `index` and `begin` tell the place of the first element. */
#define DEFINE_LAY(name, type)                                                                 \
    static void lay_##name(const opmill_several *several, const type *from, type *to,          \
                           int64_t count, int64_t begin, int64_t *index, int32_t top,          \
                           const int64_t *steps) {                                             \
        const int32_t inner = several->count - 1;                                              \
        const int64_t run = several->levels[inner].size;                                       \
        while (count > 0) {                                                                    \
            const int64_t now = smaller(run - begin, count);                                   \
            if (steps[inner] != 0) {                                                           \
                for (int64_t i = 0; i < now; i++) {                                            \
                    to[i] = from[begin + i];                                                   \
                }                                                                              \
            } else {                                                                           \
                const type element = *from;                                                    \
                for (int64_t i = 0; i < now; i++) {                                            \
                    to[i] = element;                                                           \
                }                                                                              \
            }                                                                                  \
            to += now;                                                                         \
            count -= now;                                                                      \
            begin = 0;                                                                         \
            for (int32_t i = inner - 1; i >= top; i--) {                                       \
                from += steps[i];                                                              \
                if (++index[i] < several->levels[i].size) {                                    \
                    break;                                                                     \
                }                                                                              \
                from -= several->levels[i].size * steps[i];                                    \
                index[i] = 0;                                                                  \
            }                                                                                  \
        }                                                                                      \
    }
DEFINE_LAY(1, uint8_t)
DEFINE_LAY(2, uint16_t)
DEFINE_LAY(4, uint32_t)
DEFINE_LAY(8, uint64_t)
DEFINE_LAY(16, wide)

/* Copies the elements of an input for a piece side by side. */
static void lay(opmill_several_piece *piece, const char *from, char *to, int32_t bytes,
                const int64_t *steps) {
    const opmill_several *const several = piece->several;
    int64_t index[OPMILL_MAX_RANK], period = 1, count = piece->count;
    int32_t level = piece->top;
    while (steps[level] == 0) { /* on these the input repeats what it has on those inward */
        level++;
    }
    for (int32_t i = level; i < several->count; i++) {
        period = period < count ? period * several->levels[i].size : period;
    }
    if (level > piece->top && period < count) {
        count = period;
    }
    for (int32_t i = piece->top; i < several->count - 1; i++) {
        index[i] = piece->index[i];
    }
#define LAY(name, type)                                                                        \
    lay_##name(several, (const type *)(const void *)from, (type *)(void *)to, count, piece->begin, \
               index, piece->top, steps)
    switch (bytes) {
    case 1:
        LAY(1, uint8_t);
        break;
    case 2:
        LAY(2, uint16_t);
        break;
    case 4:
        LAY(4, uint32_t);
        break;
    case 8:
        LAY(8, uint64_t);
        break;
    default:
        LAY(16, wide);
        break;
    }
#undef LAY
    while (count < piece->count) {
        const int64_t now = smaller(count, piece->count - count);
        memcpy(to + count * bytes, to, (size_t)(now * bytes));
        count += now;
    }
}

opmill_several_operand opmill_several_read(opmill_several_piece *piece, int32_t input,
                                           int32_t slot) {
    const opmill_several *const several = piece->several;
    const opmill_tensor *const tensor = several->inputs[input];
    const int32_t bytes = opmill_type_bytes(tensor->type), inner = several->count - 1;
    int64_t steps[OPMILL_MAX_RANK], size = 1, offset = 0;
    bool all = true, none = true;
    for (int32_t i = inner; i >= 0; i--) {
        const opmill_several_level *const level = &several->levels[i];
        const bool has = level->axis < 0 || has_axis(tensor, several->rank, level->axis);
        steps[i] = has ? size : 0;
        size *= has ? level->size : 1;
        offset += i < inner ? piece->index[i] * steps[i] : 0;
        all = all && (has || i < piece->top);
        none = none && (!has || i < piece->top);
    }
    const char *const run = (const char *)tensor->data + offset * bytes;
    if (none || all) {
        return (opmill_several_operand){run + (all ? piece->begin * bytes : 0), none};
    }
    lay(piece, run, piece->slots[slot].bytes, bytes, steps);
    return (opmill_several_operand){piece->slots[slot].bytes, false};
}

/* Moves the place of a piece's first element by so many elements. */
static void advance(const opmill_several *several, opmill_several_piece *piece, int64_t count) {
    const int32_t inner = several->count - 1;
    const int64_t run = several->levels[inner].size;
    int64_t carry;
    piece->begin += count;
    if (piece->begin < run) {
        return;
    }
    carry = piece->begin / run;
    piece->begin %= run;
    for (int32_t i = inner - 1; i >= 0 && carry > 0; i--) {
        const int64_t size = several->levels[i].size;
        piece->index[i] += carry;
        carry = piece->index[i] / size;
        piece->index[i] %= size;
    }
}

/* The outermost level on which `count` elements have several positions. */
static int32_t top_of(const opmill_several *several, const opmill_several_piece *piece,
                      int64_t count) {
    int32_t top = several->count - 1;
    int64_t carry = (piece->begin + count - 1) / several->levels[top].size;
    while (carry > 0 && top > 0) {
        top--;
        carry = (piece->index[top] + carry) / several->levels[top].size;
    }
    return top;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const several_job *const job = state;
    const opmill_several *const several = job->several;
    const int64_t bytes = several->to_bytes, first = task * job->shares.step;
    const int64_t end = smaller(first + job->shares.step, job->count);
    opmill_several_piece piece;
    opmill_stream stream;
    union {
        char bytes[OPMILL_STAGE_BYTES];
        wide aligned;
    } stage;
    (void)worker;
    piece.several = several;
    piece.begin = 0;
    for (int32_t i = 0; i < several->count - 1; i++) {
        piece.index[i] = 0;
    }
    advance(several, &piece, first);
    opmill_stream_begin(&stream, job->mover);
    for (int64_t at = first; at < end; at += piece.count) {
        char *const to = job->to + at * bytes;
        piece.count = smaller(job->piece_count, end - at);
        if (job->run >= SHORT_RUN) {
            piece.count = smaller(piece.count, job->run - piece.begin);
        }
        piece.top = top_of(several, &piece, piece.count);
        several->compute(&piece, job->shares.stream ? stage.bytes : to, piece.count, several->plan);
        if (job->shares.stream) {
            opmill_stream_write(&stream, to, stage.bytes, (size_t)(piece.count * bytes));
        }
        advance(several, &piece, piece.count);
    }
    if (job->shares.stream) {
        opmill_stream_end(&stream);
    }
}

/* Fills in all but the address of the output. */
static void plan(several_job *job, const opmill_several *several, const opmill_context *context) {
    job->several = several;
    job->mover = opmill_mover_for(several->isa);
    job->count = 1;
    for (int32_t i = 0; i < several->count; i++) {
        job->count *= several->levels[i].size;
    }
    job->run = several->levels[several->count - 1].size;
    job->shares =
        opmill_share(job->count, several->to_bytes, 1, job->mover->lines != NULL, context);
    job->piece_count = job->shares.stream
                           ? smaller(several->piece_count, OPMILL_STAGE_BYTES / several->to_bytes)
                           : several->piece_count;
}

void opmill_several_run(const opmill_several *several, void *to, const opmill_context *context) {
    several_job job;
    if (several->empty) {
        return;
    }
    job.to = to;
    plan(&job, several, context);
    opmill_parallel(job.shares.tasks, job.shares.threads, run_task, &job);
}

void opmill_several_choose(const opmill_several *several, const opmill_context *context,
                           opmill_choice *choice) {
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (several->empty) {
        return;
    }
    several_job job;
    plan(&job, several, context);
    const char *const runs = job.shares.stream ? "runs+stream" : "runs";
    const char *const rows = job.shares.stream ? "rows+stream" : "rows";
    *choice = (opmill_choice){several->count > 1 && job.run < SHORT_RUN ? rows : runs, several->isa,
                              job.shares.threads};
}
