/* A valid call of which tests spoil one part at a time, and what must become of it: an error, and
 * nothing is written. */
#ifndef OPMILL_TEST_BAD_CALL_H
#define OPMILL_TEST_BAD_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"

/* A valid call, and its parts to spoil. */
typedef struct bad_call {
    const opmill_operator *operator;
    const void *attributes;
    call_tensors inputs, expected, outputs;
    opmill_context context;
    guarded workspace, texts;
    opmill_block_allocator strings;
} bad_call;

/* The call of an example, with a workspace and memory for what it creates. */
void bad_call_begin(bad_call *call, const case_table *table, const case_example *example);
void bad_call_end(bad_call *call);

/* Computes; returns the code. */
int bad_call_run(bad_call *call);

/* Number of refusals that were checked so far. */
extern long refused;

/* Checks that the spoiled call is refused, with this code unless it is OPMILL_OK. */
void expect_refusal(bad_call *call, int32_t code, const char *what);

/* The same, and the message names the parameter. */
void expect_named(bad_call *call, int32_t code, const char *what, const char *name);

/* Checks that infer refuses the call too, with the same message. */
void expect_in_infer(bad_call *call, const char *what);

/* True if infer refuses the call. */
bool is_refused(bad_call *call);

/* Spoils each attribute by itself: bad_attributes.c. */
void spoil_attributes(bad_call *call);

#endif
