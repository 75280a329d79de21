/* A call whose arrays all lie in guarded memory of their own: the elements, dims and strings of its
 * inputs, the lists of its attributes, its outputs, its workspace and its packed inputs. */
#ifndef OPMILL_TEST_GUARDED_CALL_H
#define OPMILL_TEST_GUARDED_CALL_H

#include <stdbool.h>

#include "guarded.h"
#include "opmill/operator.h"

enum { MAX_ARRAYS = 512, MAX_OUTPUTS = 16, ARRAY_NAME_BYTES = 48, REPORT_BYTES = 160 };

/* What computes a call, as opmill_run does. */
typedef int compute_function(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, const void *attributes,
                             opmill_tensor *const *outputs, int32_t output_count,
                             opmill_context *context);

/* A call in ordinary memory. */
typedef struct plain_call {
    const opmill_operator *operator;
    const opmill_tensor *const *inputs;
    int32_t input_count;
    const void *attributes;
    int32_t output_count;
} plain_call;

/* An array of a guarded call. Its memory serves the calls that follow. */
typedef struct guarded_array {
    char name[ARRAY_NAME_BYTES];
    guarded memory;
} guarded_array;

/* Zero before the first call. */
typedef struct guarded_call {
    const plain_call *call;
    compute_function *compute;
    bool at_end; /* every array ends where its memory does; or begins where it does */
    bool packs;  /* whether inputs are packed, where that is possible */
    int32_t array_count;
    guarded_array arrays[MAX_ARRAYS];
    opmill_context context;
    opmill_tensor outputs[MAX_OUTPUTS];
    int code;                  /* of the call */
    int32_t packed;            /* the number of packed inputs */
    char report[REPORT_BYTES]; /* which memory beside an array was touched; empty for none */
} guarded_call;

/* Makes the call with `compute`, NULL for opmill_run; `context` has the instruction set, the limits
 * and the number of threads. */
void guarded_call_run(guarded_call *run, const plain_call *call, const opmill_context *context);

void guarded_call_free(guarded_call *run);

#endif
