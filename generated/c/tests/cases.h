/* The cases of each operator version: what it must compute, and what it must refuse. They are read
 * from the corpus that 'opmill generate --corpus' writes, whose format docs/start/corpus.md
 * specifies. The environment variable OPMILL_CORPUS names the folder; OPMILL_CASES_EVERY,
 * if it is set, limits a run to every so many cases of each version. */
#ifndef OPMILL_TEST_CASES_H
#define OPMILL_TEST_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opmill/operator.h"

/* A tensor, a sequence or an optional. One of `numbers` to `texts` has the elements of a tensor;
 * none does where there are no elements, and the elements of a tensor that a test writes down
 * without any are zero. */
typedef struct case_tensor {
    int32_t type; /* of enum opmill_type; OPMILL_UNDEFINED where the tensor is absent */
    int32_t rank;
    const int64_t *dims;
    const int64_t *numbers; /* whole numbers; of a complex type and in the next two, a part each */
    const double *reals;
    const uint64_t *bits; /* bit patterns */
    const char *const *texts;
    const struct case_tensor *items; /* of a sequence or an optional, which have one dim */
} case_tensor;

typedef struct case_example {
    const char *name;
    const case_tensor *inputs;
    int32_t input_count;
    const void *attributes; /* of the version's struct, or NULL */
    const case_tensor *outputs;
    int32_t output_count;
    int32_t each_type; /* the type variable to repeat it for, counted from 1; 0 for none */
    bool is_repeated;  /* another example in another type */
    bool is_drawn;     /* at random, which no author has examined */
} case_example;

typedef struct case_reject {
    const char *name;
    const case_tensor *inputs;
    int32_t input_count;
    const void *attributes;
    int32_t output_count; /* as the call requests */
    int32_t code;
    bool by_kernel;      /* for contents that rules do not see: infer accepts the call */
    const char *message; /* without the operator and its version; NULL of a drawn one */
} case_reject;

/* A result of this type may differ by atol + rtol * |expected|; of others, by no bit. */
typedef struct case_accuracy {
    int32_t type;
    double rtol, atol;
} case_accuracy;

typedef struct case_table {
    const opmill_operator *operator;
    const char *domain;
    const char *name;
    int32_t since_version;
    case_example *examples;
    int32_t example_count;
    case_reject *rejects;
    int32_t reject_count;
    int32_t left_out; /* cases that only the tests in Python can call */
    case_accuracy *accuracies;
    int32_t accuracy_count;
} case_table;

/* A table for each version of the library. The first call reads the corpus, and ends the program
 * where there is none or it is damaged. */
int32_t case_table_count(void);
const case_table *case_table_at(int32_t index);

/* The table of a version; NULL for an operator that is not of the library's table. */
const case_table *case_table_of(const opmill_operator *operator);

/* 1 for a run with all cases, n for one with every nth. */
int32_t cases_every(void);

/* The example of the version after another, the first one after NULL; NULL after the last. */
const case_example *next_example(const case_table *table, const case_example *last);

/* The same of the calls that the version refuses. */
const case_reject *next_reject(const case_table *table, const case_reject *last);

/* Writes the elements of a case to memory for as many of its tensor's type, which may be another
 * than the case's. */
void case_fill(const opmill_tensor *tensor, const case_tensor *from);

#endif
