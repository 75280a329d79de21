/* Instantiates direct_row.h for each element type and computes the output row by row, in
 * parallel. */
#include "direct.h"

#include "runtime/numbers/half.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"

#include <string.h>

/* How many sums are held at once. */
enum { DIRECT_PIECE = OPMILL_ON_STACK(512, 64) };

/* Data need not be aligned for their type: elements are copied in and out, which compilers turn
 * into plain moves. */
static inline float load_float(const void *data, int64_t index) {
    float value;
    memcpy(&value, (const char *)data + index * 4, 4);
    return value;
}

static inline void store_float(void *data, int64_t index, float value) {
    memcpy((char *)data + index * 4, &value, 4);
}

static inline double load_double(const void *data, int64_t index) {
    double value;
    memcpy(&value, (const char *)data + index * 8, 8);
    return value;
}

static inline void store_double(void *data, int64_t index, double value) {
    memcpy((char *)data + index * 8, &value, 8);
}

static inline uint16_t load_bits(const void *data, int64_t index) {
    uint16_t bits;
    memcpy(&bits, (const char *)data + index * 2, 2);
    return bits;
}

static inline void store_bits(void *data, int64_t index, uint16_t bits) {
    memcpy((char *)data + index * 2, &bits, 2);
}

#define DIRECT_SUM float
#define DIRECT_LOAD(data, index) load_float(data, index)
#define DIRECT_STORE(data, index, sum) store_float(data, index, sum)
#define DIRECT_ROW direct_row_float
#include "direct_row.h"

#define DIRECT_SUM double
#define DIRECT_LOAD(data, index) load_double(data, index)
#define DIRECT_STORE(data, index, sum) store_double(data, index, sum)
#define DIRECT_ROW direct_row_double
#include "direct_row.h"

#define DIRECT_SUM float
#define DIRECT_LOAD(data, index) opmill_float16_to_float(load_bits(data, index))
#define DIRECT_STORE(data, index, sum) store_bits(data, index, opmill_float_to_float16(sum))
#define DIRECT_ROW direct_row_float16
#include "direct_row.h"

#define DIRECT_SUM float
#define DIRECT_LOAD(data, index) opmill_bfloat16_to_float(load_bits(data, index))
#define DIRECT_STORE(data, index, sum) store_bits(data, index, opmill_float_to_bfloat16(sum))
#define DIRECT_ROW direct_row_bfloat16
#include "direct_row.h"

void opmill_conv_transpose_direct_row(const conv_transpose_problem *problem, int64_t item,
                                      int64_t map, const int64_t *row, int64_t from, int64_t to) {
    switch (problem->type) {
    case OPMILL_FLOAT:
        direct_row_float(problem, item, map, row, from, to);
        break;
    case OPMILL_DOUBLE:
        direct_row_double(problem, item, map, row, from, to);
        break;
    case OPMILL_FLOAT16:
        direct_row_float16(problem, item, map, row, from, to);
        break;
    default:
        direct_row_bfloat16(problem, item, map, row, from, to);
        break;
    }
}

typedef struct direct_call {
    const conv_transpose_problem *problem;
    int64_t rows; /* of one map, of all maps, and of one task */
    int64_t total;
    int64_t each;
} direct_call;

static void direct_task(void *state, int64_t task, int32_t worker) {
    const direct_call *const call = state;
    const conv_transpose_problem *const problem = call->problem;
    const int32_t outer = problem->axis_count - 1;
    const int64_t maps = problem->groups * problem->maps;
    const int64_t first = task * call->each;
    const int64_t end = call->total - first < call->each ? call->total : first + call->each;
    int64_t row[CONV_TRANSPOSE_MAX_AXES];
    int64_t rest = first % call->rows;
    int64_t plane = first / call->rows;
    (void)worker;
    for (int32_t a = outer; a-- > 0;) {
        row[a] = rest % problem->axes[a].out;
        rest /= problem->axes[a].out;
    }
    for (int64_t r = first; r < end; r++) {
        opmill_conv_transpose_direct_row(problem, plane / maps, plane % maps, row, 0,
                                         problem->axes[outer].out);
        int32_t a = outer;
        while (a-- > 0 && ++row[a] == problem->axes[a].out) {
            row[a] = 0;
        }
        if (a < 0) {
            plane++;
        }
    }
}

void opmill_conv_transpose_direct(const conv_transpose_problem *problem, int32_t threads) {
    direct_call call;
    call.problem = problem;
    call.rows = problem->out_size / problem->axes[problem->axis_count - 1].out;
    call.total = problem->batch * problem->groups * problem->maps * call.rows;
    /* Some tasks more than threads even out what rows at the edges have less to do. */
    call.each = threads > 1 ? call.total / (threads * (int64_t)4) + 1 : call.total;
    opmill_parallel((call.total + call.each - 1) / call.each, threads, direct_task, &call);
}
