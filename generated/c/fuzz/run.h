/* One run of a call with the requested outputs, context and workspace, valid or not, and the checks
 * of every run. */
#ifndef OPMILL_FUZZ_RUN_H
#define OPMILL_FUZZ_RUN_H

#include "arguments.h"
#include "call.h"

/* Calls that need more workspace run without one. */
enum { RUN_OUTPUTS = CALL_VALUES, RUN_MAX_WORKSPACE = 1 << 24 };

/* One way to make the call. */
typedef struct manner {
    int32_t threads, isa;
    uint8_t workspace, output;
    unsigned char pattern; /* what memory and stack hold before */
} manner;

/* What a run was given, and what came of it. */
typedef struct run_outcome {
    int code;
    bool refusable; /* something beside inputs and attributes is wrong */
    opmill_tensor *outputs[RUN_OUTPUTS];
    opmill_context context;
    memory fixed, results, scratch, texts;
} run_outcome;

/* The call that is checked. */
extern const call *current;

/* Tells what does not hold of the current call, and ends the program. */
void broken(const char *what, int code, const opmill_context *context);

#define MUST(holds, what, code, context) ((holds) ? (void)0 : broken(what, code, context))

/* Leaves a pattern where the next function has its variables. */
void scribble(unsigned char pattern);

/* A context whose error shows what was written to it. */
void context_begin(opmill_context *context);

/* What must hold of the error that a function left. */
void check_error(int code, const opmill_context *context);

/* Runs the call and checks all but its result. Without shapes, no outputs are created. */
void run_begin(run_outcome *outcome, const manner *how, const call_arguments *given,
               const opmill_shape *shapes, int32_t shape_count);
void run_end(run_outcome *outcome);

#endif
