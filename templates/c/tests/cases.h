/* The form of the generated tables: what each operator version must compute and refuse. */
#ifndef OPMILL_TEST_CASES_H
#define OPMILL_TEST_CASES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opmill/operator.h"
#include "reference.h"

/* Element k is ((start + step * k) mod modulo) * scale + offset, which a double holds; modulo 0 is
 * none. */
typedef struct case_formula {
    int64_t start, step, modulo;
    double scale, offset;
} case_formula;

/* A tensor. One of the last four tells its elements; where none does, those of an input are zero,
 * and those of an output are left to the reference. */
typedef struct case_tensor {
    int32_t type; /* of enum opmill_type; OPMILL_UNDEFINED where the tensor is absent */
    int32_t rank;
    const int64_t *dims;
    const int64_t *numbers; /* whole numbers, of any type: a string is the decimal text */
    const uint64_t *bits;   /* bit patterns; a complex element has two, of its parts */
    const char *const *texts;
    const case_formula *formula;
} case_tensor;

#define LIST(type, ...) (const type[]){__VA_ARGS__}
#define COUNT(list) ((int32_t)(sizeof(list) / sizeof(list)[0]))

#define ABSENT {.type = OPMILL_UNDEFINED}
#define TENSOR(name, ...) {.type = OPMILL_##name, __VA_ARGS__}
#define DIMS(...) \
    .rank = COUNT(LIST(int64_t, __VA_ARGS__)), .dims = LIST(int64_t, __VA_ARGS__)
#define NUMBERS(...) .numbers = LIST(int64_t, __VA_ARGS__)
#define BITS(...) .bits = LIST(uint64_t, __VA_ARGS__)
#define TEXTS(...) .texts = (const char *const[]){__VA_ARGS__}
#define FORMULA(...) .formula = &(const case_formula){__VA_ARGS__}
#define INTS(...) {LIST(int64_t, __VA_ARGS__), COUNT(LIST(int64_t, __VA_ARGS__))}
#define FLOATS(...) {LIST(float, __VA_ARGS__), COUNT(LIST(float, __VA_ARGS__))}
#define STRINGS(...) \
    {(const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__}))}

/* A case that gives an attribute overrides the initializer of the default. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Winitializer-overrides"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

/* The parts of a case: its tensors, written there or a list that several cases have; the attributes
 * that it gives; the refusal of a call that asks for one output, or for so many. */
#define INPUTS(...) INPUTS_OF(LIST(case_tensor, __VA_ARGS__))
#define INPUTS_OF(...) .inputs = __VA_ARGS__, .input_count = COUNT((__VA_ARGS__))
#define OUTPUTS(...) OUTPUTS_OF(LIST(case_tensor, __VA_ARGS__))
#define OUTPUTS_OF(...) .outputs = __VA_ARGS__, .output_count = COUNT((__VA_ARGS__))
#define ATTRIBUTES(version, ...) \
    .attributes = &(const opmill_##version##_attributes){DEFAULTS_##version __VA_ARGS__}
#define REFUSED(error, words) REFUSED_WITH(1, error, words)
#define REFUSED_WITH(asked, error, words) \
    .output_count = asked, .code = OPMILL_ERROR_##error, .message = words

typedef struct case_example {
    const char *name;
    int32_t since, until; /* the first and the last version that has it; 0 where all have */
    const case_tensor *inputs;
    int32_t input_count;
    const void *attributes; /* of the version's struct, or NULL */
    const case_tensor *outputs;
    int32_t output_count;
    int32_t each_type; /* which type variable to repeat it for, counted from 1; 0 for none */
} case_example;

typedef struct case_reject {
    const char *name;
    int32_t since, until; /* as of an example */
    const case_tensor *inputs;
    int32_t input_count;
    const void *attributes;
    int32_t output_count; /* as the call asks for */
    int32_t code;
    bool by_kernel;      /* for contents that rules do not see: infer accepts the call */
    const char *message; /* without the operator and its version */
} case_reject;

/* A result of this type may differ by atol + rtol * |expected|; of others, by no bit. */
typedef struct case_accuracy {
    int32_t type;
    double rtol, atol;
} case_accuracy;

typedef struct case_table {
    const char *domain;
    const char *name;
    int32_t since_version;
    const case_example *examples; /* of all versions; `next_example` finds those of this one */
    int32_t example_count;        /* of this version */
    const case_reject *rejects;
    int32_t reject_count;
    const case_accuracy *accuracies;
    int32_t accuracy_count;
    reference_function *reference;      /* NULL where the family has none */
    const char *const (*parameters)[2]; /* of the family: names and values, as texts */
    int32_t parameter_count;
} case_table;

/* How many of the operator's cases a version has, and its other parts. */
#define EXAMPLES(count) .examples = examples, .example_count = count
#define REJECTS(count) .rejects = rejects, .reject_count = count
#define ACCURACIES(...) \
    .accuracies = LIST(case_accuracy, __VA_ARGS__), \
    .accuracy_count = COUNT(LIST(case_accuracy, __VA_ARGS__))
#define PARAMETERS(...) \
    .parameters = (const char *const[][2]){__VA_ARGS__}, \
    .parameter_count = COUNT(((const char *const[][2]){__VA_ARGS__}))

extern const case_table *const case_tables[];
extern const int32_t case_table_count;

#endif
