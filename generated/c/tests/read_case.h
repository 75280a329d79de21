/* One case of the corpus, as its lines give it: before it is in the table of each version that has
 * it. */
#ifndef OPMILL_TEST_READ_CASE_H
#define OPMILL_TEST_READ_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "cases.h"
#include "corpus.h"

enum { MAX_ATTRIBUTES = 32, MAX_VERSIONS = 64 };

/* An attribute of a case: a member of a struct, of the kind that the case gives. */
typedef struct given_attribute {
    const char *name;
    int32_t kind; /* of enum opmill_kind; 0 for what no struct holds */
    union {
        float real;
        int64_t whole;
        const char *text;
        const opmill_tensor *tensor;
        const opmill_sparse_tensor *sparse;
        const opmill_graph *graph;
        opmill_floats reals;
        opmill_ints wholes;
        opmill_strings texts;
    } value;
} given_attribute;

/* A case, before it is given to the versions that have it. */
typedef struct read_case {
    case_example example; /* a reject has the same parts */
    case_reject reject;
    bool is_example, is_callable;
    int32_t requested_outputs; /* of a reject; -1 if it does not state the number */
    int32_t versions[MAX_VERSIONS], version_count;
    given_attribute attributes[MAX_ATTRIBUTES];
    int32_t attribute_count;
    case_tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];
    const char *repeated_for[2 * MAX_TENSORS]; /* the parameters of the type variable */
    int32_t repeated_count;
} read_case;

/* The tensor of a text, which is changed: type, dims and elements, as in a line of the corpus. */
const opmill_tensor *tensor_of_text(char *text);

/* Begins a case: the word is "example" or "reject", its name follows in the line. */
void read_case_begin(corpus_file *file, read_case *current, bool is_example);

/* Reads a line of the case after its first; `word` is the line's first word. */
void read_case_line(corpus_file *file, read_case *current, const char *word);

/* Ends a case: its example has the tensors, in memory that is not freed. */
void read_case_end(const corpus_file *file, read_case *current);

#endif
