/* Calls made from the tables: tensors in guarded memory, and what a call may leave behind. */
#ifndef OPMILL_TEST_CALLS_H
#define OPMILL_TEST_CALLS_H

#include <stdbool.h>

#include "cases.h"
#include "guarded.h"

enum { MAX_TENSORS = 24, NAME_BYTES = 64 };

/* The tensors of a sequence, or the contents of an optional, in guarded memory. */
typedef struct call_items {
    int64_t count;
    opmill_tensor *tensors;
    guarded *memory;
    struct call_items *nested; /* of each, its own tensors; of a tensor none */
} call_items;

/* Tensors in guarded memory, as the functions of a kernel take them. */
typedef struct call_tensors {
    int32_t count;
    const opmill_tensor *given[MAX_TENSORS]; /* NULL where absent */
    opmill_tensor *taken[MAX_TENSORS];       /* the same, to be written to */
    opmill_tensor tensors[MAX_TENSORS];
    guarded memory[MAX_TENSORS];
    call_items items[MAX_TENSORS];
} call_tensors;

/* Those of a table, frozen. Where `variable` is not -1, parameters of that type variable are made
 * in `type` instead, number for number, in its element type. */
void tensors_of_case(call_tensors *tensors, const case_tensor *cases, int32_t count,
                     const opmill_parameter *parameters, int32_t parameter_count, int32_t variable,
                     int32_t type);

/* Like others, and full of the pattern; a sequence has no tensors yet. */
void tensors_like(call_tensors *tensors, const call_tensors *model, bool at_end);

void tensors_free(call_tensors *tensors);

bool tensors_intact(const call_tensors *tensors);
bool tensors_untouched(const call_tensors *tensors);

/* True if this machine can have all the tensors: with 32-bit pointers some examples are too large,
 * though they have no elements. */
bool cases_fit(const case_tensor *cases, int32_t count);

const opmill_operator *operator_of(const case_table *table);

/* The parameter of a position: the last one for all values of a variadic. */
const opmill_parameter *parameter_of(const opmill_parameter *parameters, int32_t count,
                                     int32_t position);

/* What messages must call the value at a position: "xs[1]" the second of a variadic. */
void value_name(char *text, size_t size, const opmill_parameter *parameters, int32_t count,
                int32_t position);

/* Number of outputs a call requests when it requests only the required ones. */
int32_t min_outputs(const opmill_operator *operator);

/* The example with the most inputs that is not drawn, of them that with the largest first output
 * below a bound. */
const case_example *witness_of(const case_table *table);

/* An allocator's function for context->strings and context->sequences: `user` is a guarded block,
 * which it replaces. */
void *provide_block(void *user, size_t bytes);

/* True if a version creates strings or tensors of these outputs. */
bool creates_values(const opmill_operator *operator, const call_tensors *outputs);

/* True if a call was refused because graphs determine its outputs: infer knows no more. */
bool lacks_graphs(const opmill_operator *operator, const opmill_context *context);

/* True if a call ended with this code and these words, its outputs as they were. */
void check_refused(int code, const opmill_context *context, const call_tensors *outputs,
                   int32_t expected, const char *message);

#endif
