/* The fuzzer's description of a call, valid or not, in plain numbers. It is decoded from bytes,
 * changed by mutations, and created from the tests' tables as a seed. */
#ifndef OPMILL_FUZZ_CALL_H
#define OPMILL_FUZZ_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opmill/operator.h"

enum {
    CALL_INPUTS = 8,
    CALL_VALUES = 72, /* of dims and lists: some more than OPMILL_MAX_RANK */
    CALL_ATTRIBUTES = 24,
    CALL_TEXT = 48,
    CALL_BYTES = 4096 /* of an encoded call, at most */
};

/* What is wrong with a pointer of the call itself, as bits. */
enum {
    CALL_NO_INPUTS = 1,
    CALL_NO_ATTRIBUTES = 2, /* legal: the defaults are meant */
    CALL_NO_RESULTS = 4,
    CALL_NO_CONTEXT = 8,
    CALL_LARGE = 16 /* legal: the output may be large enough for several threads to copy it */
};

/* The elements of a tensor. */
enum {
    CONTENT_ZEROS,
    CONTENT_VALUES,  /* whole numbers, as listed and then again from the first */
    CONTENT_TAME,    /* quarters, whose sums are exact in any order; small whole numbers */
    CONTENT_SPECIAL, /* quarters, infinities, NaN and -0 */
    CONTENT_WILD,    /* any bits */
    CONTENT_COUNT
};

/* What is wrong with a tensor, as bits. */
enum {
    TENSOR_ABSENT = 1, /* legal for an optional one */
    TENSOR_NO_DIMS = 2,
    TENSOR_NO_DATA = 4,
    TENSOR_ODD = 8 /* its data begins at an odd address */
};

typedef struct call_numbers {
    int32_t count;
    int64_t values[CALL_VALUES];
} call_numbers;

typedef struct call_tensor {
    int32_t type; /* any */
    int32_t rank; /* any */
    uint8_t spoiled;
    uint8_t content;
    uint8_t seed;
    call_numbers dims; /* as many as rank says, within what there is room for */
    call_numbers values;
} call_tensor;

typedef struct call_attribute {
    uint8_t index;       /* in the kernel's list */
    int64_t number;      /* of kind INT; of kind FLOAT, its bits; of lists, the count */
    call_numbers values; /* of INTS, or the bits of FLOATS: as many as the count says, or none, and
                          * then NULL; of TENSOR, its type, what its elements are and its dims; of
                          * SPARSE_TENSOR, as seeds.c has it */
    int32_t length;      /* of kind STRING, or of STRINGS with commas between; -1 for NULL */
    char text[CALL_TEXT];
} call_attribute;

/* Which members of call_attribute hold an attribute of a kind. */
static inline bool call_is_text(int32_t kind) {
    return kind == OPMILL_KIND_STRING || kind == OPMILL_KIND_STRINGS;
}

static inline bool call_is_list(int32_t kind) {
    return kind == OPMILL_KIND_INTS || kind == OPMILL_KIND_FLOATS || kind == OPMILL_KIND_TENSOR ||
           kind == OPMILL_KIND_SPARSE_TENSOR;
}

/* What the caller offers besides the right workspace. */
enum {
    WORKSPACE_RIGHT,
    WORKSPACE_SHORT,
    WORKSPACE_NULL,
    WORKSPACE_NONE,
    WORKSPACE_MORE,
    WORKSPACE_COUNT
};

/* What the caller offers besides the right outputs; one of several outputs is spoiled. */
enum {
    OUTPUT_RIGHT,
    OUTPUT_NULL,
    OUTPUT_TYPE,
    OUTPUT_DIM,
    OUTPUT_RANK,
    OUTPUT_NO_DATA,
    OUTPUT_ODD,
    OUTPUT_OVERLAPS,
    OUTPUT_NO_DIMS,
    OUTPUT_COUNT
};

typedef struct call {
    const opmill_operator *operator;
    uint8_t spoiled;
    uint8_t workspace, workspace_shift;
    uint8_t output;
    int64_t output_argument;
    int32_t input_count;        /* as the call says; there may be fewer tensors, and then NULL */
    int32_t output_count;       /* as the call says */
    int32_t threads[2], isa[2]; /* of the call, and of another that must have the same result */
    int32_t tensor_count, attribute_count;
    call_tensor tensors[CALL_INPUTS];
    call_attribute attributes[CALL_ATTRIBUTES];
} call;

/* The operator version of OPMILL_FUZZ_OPERATOR, as in "Tile-13"; NULL for all. Ends the program
 * where there is no such version. */
const opmill_operator *call_only_operator(void);

/* True if a call can describe calls of a version: it has no sequences. */
bool call_describes(const opmill_operator *operator);

/* Any bytes are a call: what is missing at the end is 0, and what is left over is not looked at. */
void call_decode(call *decoded, const uint8_t *bytes, size_t size);

/* The bytes of a call; 0 where they do not fit. */
size_t call_encode(const call *from, uint8_t *bytes, size_t limit);

/* Prints a call for a human reader. */
void call_print(const call *from);

/* Builds a call, makes it, and checks everything that must hold. Ends the program with words on
 * stderr where something does not. True where the call was legal and computed. */
bool call_check(const call *from);

/* A change, sometimes up to four, most of which leave a legal call legal. */
void call_mutate(call *changed, unsigned seed);

/* The examples and rejects of the tests' tables, in order, as calls, and the regressions after
 * them, which are tried on every version. False for one of another version than the only one. */
int32_t call_seed_count(void);
bool call_seed(int32_t index, call *seed, const char **name);

/* Calls that once broke the library. */
int32_t call_regression_count(void);
void call_regression(int32_t index, call *seed, const char **name);

#endif
