/* The runs of a graph during a call: each is checked, and its results are linked to those before.
 */
#ifndef OPMILL_GRAPH_RUNS_H
#define OPMILL_GRAPH_RUNS_H

#include <stdbool.h>

#include "runtime/call/driver.h"
#include "runtime/call/message.h"

/* The runs so far. */
typedef struct opmill_runs {
    const opmill_call *call;
    const opmill_graph *graph;
    const char *name;            /* of the attribute */
    opmill_graph_results *first; /* of the first run; its `next` leads to the others */
    opmill_graph_results *last;
    int64_t count;
} opmill_runs;

/* Runs the graph once more. Refuses results that are not tensors or sequences, and another number
 * of them than `expected`, or less than that unless the number must be `exact`. */
int opmill_runs_next(opmill_runs *runs, const opmill_tensor *const *inputs, int32_t input_count,
                     int32_t expected, bool exact);

/* Refuses results of the last run, from `first` on, whose types are not those of `before`. Absent
 * values and empty sequences of unknown type have any type. */
int opmill_runs_check_types(const opmill_runs *runs, const opmill_tensor *const *before,
                            int32_t count, int32_t first);

/* What the graph declares of an output; NULL for nothing. */
const opmill_shape *opmill_runs_declared(const opmill_runs *runs, int32_t output);

/* Begins an error of the call. */
opmill_message opmill_runs_error(const opmill_runs *runs, int32_t code);

/* "output 2 of body". */
void opmill_put_result(opmill_message *message, const opmill_runs *runs, int32_t output);

/* "float[2, 3]", "a sequence" or "absent". */
void opmill_put_described(opmill_message *message, const opmill_tensor *value);

#endif
