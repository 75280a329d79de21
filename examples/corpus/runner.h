/* Tests a C runtime with the corpus of cases: write corpus_run for it, and link it with runner.c.
 */
#ifndef CORPUS_RUNNER_H
#define CORPUS_RUNNER_H

#include <stddef.h>
#include <stdint.h>

/* A contiguous row-major tensor. Elements have the size of their type; those below a byte are
 * packed, the first one in the lowest bits. Those of a string are of type `const char *`. */
typedef struct corpus_tensor {
    const char *type; /* ONNX's name, as "float"; NULL if the tensor is absent */
    const int64_t *dims;
    int rank;
    int64_t count; /* the number of elements */
    void *data;
} corpus_tensor;

/* An attribute; the kind says which of the members has the value. */
typedef struct corpus_attribute {
    const char *name;
    const char *kind; /* int, float, string, ints, floats, strings or tensor */
    int64_t count;    /* of a list; 1 for a number or a string */
    const int64_t *ints;
    const float *floats;
    const char *const *strings;
    corpus_tensor tensor;
} corpus_attribute;

/* A call of one operator version. */
typedef struct corpus_call {
    const char *domain; /* "ai.onnx" for ONNX's own */
    const char *operator;
    int64_t version;
    const corpus_attribute *attributes;
    int attribute_count;
    const corpus_tensor *inputs; /* in schema order, the values of a variadic input one by one */
    int input_count;
    int output_count;
} corpus_call;

enum corpus_outcome {
    CORPUS_COMPUTED, /* the outputs are set */
    CORPUS_REFUSED,  /* the runtime has refused the call; `message` may have its words */
    CORPUS_ABSENT    /* the runtime does not have the operator, the type or the kind of attribute */
};

enum { CORPUS_MESSAGE_SIZE = 1024 };

/* The function that you write. It computes the call and sets type, dims, rank and data of each of
 * its outputs; a type that is NULL marks an output that is not requested.
 */
enum corpus_outcome corpus_run(const corpus_call *call, corpus_tensor *outputs, char *message);

/* Memory full of zeros, for instance for outputs; it is released after the call. */
void *corpus_memory(size_t count, size_t size);

/* The bytes of elements of a type; 0 for an unknown one. */
size_t corpus_bytes(const char *type, int64_t count);

#endif
