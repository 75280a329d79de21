/* Types of the arguments and results of all functions: tensors, shapes, attribute lists, the
 * context of a call and its error. The functions themselves are declared in the operators' own
 * headers, three or four for each version. They return OPMILL_OK, or a code of enum opmill_code
 * with the words in context->error; then no output has been written.
 *
 * `_infer` returns the types and shapes of the outputs; inputs whose values do not decide them need
 * no data. If it returns an upper bound of a shape, `_measure` returns the actual shape; its
 * context has the workspace that `_workspace` requires. `_workspace` returns the bytes of scratch
 * memory that a call needs in context->workspace. The function without an ending computes: outputs
 * have the inferred types and shapes, or the measured ones, and overlap no input. NULL for the
 * attributes means the defaults, which the initializer `_ATTRIBUTES_INIT` has; what has no default
 * is absent in it.
 *
 * The caller owns all memory. Nothing here points into the library, and the library keeps no
 * pointer after a call returns. */
#ifndef OPMILL_TYPES_H
#define OPMILL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef OPMILL_MAX_RANK
/* The highest rank of a tensor: 64, as in NumPy, unless a build for a small machine defines a lower
 * one, 8 or more. It is a part of the binary interface: the library and its callers are compiled
 * with the same. */
#define OPMILL_MAX_RANK 64
#elif OPMILL_MAX_RANK < 8 || OPMILL_MAX_RANK > 64
#error "OPMILL_MAX_RANK is out of range, expected 8 to 64"
#endif

/* The bytes of an error's message, its final NUL included. */
#define OPMILL_MESSAGE_SIZE 256

/* Element types, numbered as in ONNX's TensorProto.DataType. */
enum opmill_type {
    OPMILL_UNDEFINED = 0, /* no type */
    OPMILL_FLOAT = 1,     /* 32 bits */
    OPMILL_UINT8 = 2,
    OPMILL_INT8 = 3,
    OPMILL_UINT16 = 4,
    OPMILL_INT16 = 5,
    OPMILL_INT32 = 6,
    OPMILL_INT64 = 7,
    OPMILL_STRING = 8,   /* a `const char *`: UTF-8, ended by NUL, owned by the caller */
    OPMILL_BOOL = 9,     /* one byte, 0 or 1 */
    OPMILL_FLOAT16 = 10, /* IEEE 754's binary16, its bits in a `uint16_t` */
    OPMILL_DOUBLE = 11,  /* 64 bits */
    OPMILL_UINT32 = 12,
    OPMILL_UINT64 = 13,
    OPMILL_COMPLEX64 = 14,    /* two floats: real and imaginary part */
    OPMILL_COMPLEX128 = 15,   /* two doubles */
    OPMILL_BFLOAT16 = 16,     /* the upper half of a float's bits, in a `uint16_t` */
    OPMILL_FLOAT8E4M3FN = 17, /* a byte, as every float of 8 bits */
    OPMILL_FLOAT8E4M3FNUZ = 18,
    OPMILL_FLOAT8E5M2 = 19,
    OPMILL_FLOAT8E5M2FNUZ = 20,
    OPMILL_UINT4 = 21, /* packed, as every type of less than 8 bits; see opmill_tensor */
    OPMILL_INT4 = 22,
    OPMILL_FLOAT4E2M1 = 23,
    OPMILL_FLOAT8E8M0 = 24,
    OPMILL_UINT2 = 25,
    OPMILL_INT2 = 26,
    OPMILL_FLOAT6E2M3 = 27,
    OPMILL_FLOAT6E3M2 = 28,
    OPMILL_SEQUENCE = 64, /* added to the element type of a sequence's tensors; see opmill_tensor */
    OPMILL_OPTIONAL_TYPE = 128, /* added to the type of an optional's contents; the same */
    OPMILL_MAP_INT64 = 256,     /* added to the type of a map's values, if its keys are int64 */
    OPMILL_MAP_STRING = 512     /* the same if its keys are strings */
};

/* Codes that a call returns and stores in error.code; 0 is success. */
enum opmill_code {
    OPMILL_OK = 0,
    OPMILL_ERROR_CALL = 1,      /* the call itself: null pointers, arity, workspace, outputs */
    OPMILL_ERROR_TYPE = 2,      /* an element type that the operator does not take */
    OPMILL_ERROR_SHAPE = 3,     /* ranks, dims or input values that do not fit together */
    OPMILL_ERROR_ATTRIBUTE = 4, /* the value of an attribute */
    OPMILL_ERROR_INTERNAL = 5   /* a fault of opmill's own */
};

/* Instruction sets, for context.isa. A level that the processor or the build lacks is refused. */
enum opmill_isa {
    OPMILL_ISA_AUTO = 0,     /* the best that the processor and the build have */
    OPMILL_ISA_PLAIN = 1,    /* standard C alone */
    OPMILL_ISA_BASELINE = 2, /* what the compiler may assume by default: SSE2 on x86-64 */
    OPMILL_ISA_AVX2 = 3,     /* AVX2, FMA and F16C */
    OPMILL_ISA_AVX512 = 4,   /* AVX-512 F, BW, VL and DQ */
    OPMILL_ISA_NEON = 5      /* Advanced SIMD of AArch64 */
};

/* A contiguous row-major tensor. `dims` holds `rank` values and may be NULL where rank is 0; `data`
 * may be NULL where a dim is 0, and is aligned as C aligns the element type (a complex type as its
 * parts, a 16-bit float as uint16_t). Elements below a byte are packed, the first one in the lowest
 * bits; bits after the last one are ignored in inputs and 0 in outputs. The elements of a string
 * tensor are of type `const char *`: each points to bytes that end with NUL, UTF-8 in ONNX. Calls
 * refuse inputs and attributes with an element that is NULL. Outputs get pointers of the inputs or
 * attributes; those of operators that create strings, pointers into a block of context->strings.
 *
 * A sequence is a tensor too, of rank 1 and of type OPMILL_SEQUENCE + T, as OPMILL_SEQUENCE +
 * OPMILL_FLOAT. Its elements are of type `const opmill_tensor *`: at most INT32_MAX tensors, of
 * element type T each, with shapes of their own. Calls refuse a NULL among them, and need the
 * pointers and the dims even where they need no data. An empty sequence of type OPMILL_SEQUENCE
 * alone is of any element type. Outputs get pointers of the inputs, to the tensors themselves or to
 * the items of a sequence: they are valid as long as these. Outputs of operators that create
 * tensors, as SplitToSequence does, get pointers into a block of context->sequences.
 *
 * An optional is a tensor of rank 1 and of type OPMILL_OPTIONAL_TYPE + T, as OPMILL_OPTIONAL_TYPE +
 * OPMILL_FLOAT or OPMILL_OPTIONAL_TYPE + OPMILL_SEQUENCE + OPMILL_FLOAT. Its one dim is 1 if it has
 * contents, otherwise 0. Its element, of type `const opmill_tensor *`, points to the contents: a
 * tensor or a sequence of type T, for which the sentences above hold. An optional without contents
 * whose type is OPMILL_OPTIONAL_TYPE alone is one of any type.
 *
 * A map is a tensor of rank 1 and of type OPMILL_MAP_INT64 + V or OPMILL_MAP_STRING + V. Its one
 * dim is 2. Its elements, of type `const opmill_tensor *`, point to the keys, of type int64 or
 * string, and to the values, of type V: two tensors of rank 1 and of equal length. Keys ascend and
 * none occurs twice; strings ascend as strcmp orders them. A sequence of maps is of type
 * OPMILL_SEQUENCE + the type of the maps. ZipMap creates one in a block of context->sequences; its
 * keys are those of the attribute, and strings remain pointers of it. */
typedef struct opmill_tensor {
    void *data;          /* the elements */
    const int64_t *dims; /* the length of each axis */
    int32_t rank;        /* the number of dims, at most OPMILL_MAX_RANK */
    int32_t type;        /* of enum opmill_type */
} opmill_tensor;

/* The type and shape that an `_infer` function finds for an output. */
typedef struct opmill_shape {
    int64_t dims[OPMILL_MAX_RANK]; /* the first `rank` are set */
    int32_t rank;                  /* the number of dims */
    int32_t type;                  /* of enum opmill_type */
} opmill_shape;

/* An attribute of kind INTS. An absent one has no values and a count of -1, which differs from an
 * empty one. */
typedef struct opmill_ints {
    const int64_t *values; /* the integers */
    int64_t count;         /* their number; -1 for an absent attribute */
} opmill_ints;

/* An absent attribute of kind INTS, for an initializer: opmill_ints pads = OPMILL_INTS_ABSENT; */
#define OPMILL_INTS_ABSENT {NULL, -1}

/* An attribute of kind FLOATS, absent as an opmill_ints is. */
typedef struct opmill_floats {
    const float *values; /* the numbers */
    int64_t count;       /* their number; -1 for an absent attribute */
} opmill_floats;

/* An absent attribute of kind FLOATS, for an initializer. */
#define OPMILL_FLOATS_ABSENT {NULL, -1}

/* An attribute of kind STRINGS, absent as an opmill_ints is. */
typedef struct opmill_strings {
    const char *const *values; /* the strings: UTF-8, ended by NUL */
    int64_t count;             /* their number; -1 for an absent attribute */
} opmill_strings;

/* An absent attribute of kind STRINGS, for an initializer. */
#define OPMILL_STRINGS_ABSENT {NULL, -1}

/* An attribute of kind SPARSE_TENSOR: a tensor, given by its elements that are not 0, or by its
 * strings that are not empty. The indices ascend, and none occurs twice. An absent attribute is a
 * NULL pointer. */
typedef struct opmill_sparse_tensor {
    const opmill_tensor *values;  /* the elements, of rank 1 */
    const opmill_tensor *indices; /* int64: of shape [n], positions in row-major order; or of shape
                                   * [n, rank], an index for each axis */
    const int64_t *dims;          /* the dims of the tensor that is meant */
    int32_t rank;                 /* the number of its dims */
} opmill_sparse_tensor;

/* Why a call failed: what its context holds after a code other than OPMILL_OK. */
typedef struct opmill_error {
    int32_t code;                      /* of enum opmill_code */
    char message[OPMILL_MESSAGE_SIZE]; /* ended by NUL; set where code is not OPMILL_OK */
} opmill_error;

/* The outputs of one run of a graph, in memory of the graph's owner. */
typedef struct opmill_graph_results {
    const opmill_tensor *const *tensors; /* NULL for an optional without contents */
    int32_t count;                       /* their number */
    struct opmill_graph_results *next;   /* NULL; belongs to the operator until its call ends */
} opmill_graph_results;

/* An attribute of kind GRAPH: a function of the caller's, as If, Loop, Scan and SequenceMap run it.
 * A required attribute must not be NULL.
 *
 * `run` computes the outputs of the graph from its inputs, tensors or sequences in the graph's
 * order. It sets `results` to an object of this run alone, and returns OPMILL_OK. The results,
 * their tensors and the elements of these must remain valid and unchanged until the operator's call
 * ends; the owner of the graph frees them then. They must not share memory with `inputs`, which
 * change after the run, or with the outputs of the call. The calls that `run` makes need a context
 * of their own. An operator runs its graph once for each iteration, in order, in the thread of the
 * call.
 *
 * If `run` returns another code, the call ends with this code and with the message that `run` wrote
 * to error->message.
 *
 * `output_types` declares outputs, which is what determines the outputs of a call that runs the
 * graph for no iteration: the type is OPMILL_UNDEFINED of an output that is not declared, and a dim
 * is negative where it is unknown. There may be fewer than the graph has outputs, or none. */
typedef struct opmill_graph {
    void *user; /* passed to `run` */
    int (*run)(void *user, const opmill_tensor *const *inputs, int32_t input_count,
               opmill_graph_results **results, opmill_error *error); /* see above */
    const opmill_shape *output_types; /* NULL where none is declared */
    int32_t output_type_count;        /* their number */
} opmill_graph;

/* An input that is packed, for context.prepared: what opmill_prepare has written. */
typedef struct opmill_prepared {
    int32_t input;     /* the position of the input */
    const void *block; /* the caller's, aligned to OPMILL_BLOCK_ALIGNMENT */
    size_t bytes;      /* what opmill_prepare_size has returned */
} opmill_prepared;

/* The limits of an output's elements, for context.limits: each element that is below `low` becomes
 * `low`, then each that is above `high` becomes `high`, as the output is stored. A NaN is neither.
 * These are the bits that Clip makes of the output, and with 0 and INFINITY those that Relu makes.
 * Calls of Conv whose output is of type float take them; others are refused. */
typedef struct opmill_limits {
    float low;  /* not NaN; -INFINITY where there is no lower limit */
    float high; /* not NaN; INFINITY where there is no upper limit */
} opmill_limits;

/* The memory for the strings or the tensors of an output: context->strings, context->sequences.
 * Operators that create strings, as Cast to string, StringConcat, StringNormalizer and StringSplit
 * do, copy: every element of such an output points into one block, which belongs to the caller. So
 * one call frees all strings:
 *
 *     static void *allocate(void *user, size_t bytes) { return *(void **)user = malloc(bytes); }
 *
 *     void *block = NULL;
 *     const opmill_block_allocator strings = {&block, allocate};
 *     context.strings = &strings;
 *     ... opmill_cast_13(&input, &attributes, &output, &context) ...
 *     free(block); // and with it the strings of `output`
 *
 * `allocate` is called once in such a call, after all checks and before anything is written, with
 * the number of bytes that it needs; never for an output without elements. If it returns NULL, the
 * call is refused; otherwise it succeeds.
 *
 * The block of an output that is a sequence, from context->sequences, has an opmill_tensor for each
 * item, its dims and its elements, at multiples of 16. Strings are pointers of the inputs. That of
 * a sequence of maps has the maps, their keys and their values. The caller frees the block once
 * neither the sequence nor one of its tensors is used any more. */
typedef struct opmill_block_allocator {
    void *user; /* passed to `allocate` */
    /* Returns memory at any address, or NULL. */
    void *(*allocate)(void *user, size_t bytes);
} opmill_block_allocator;

/* The former name of the allocator. */
typedef opmill_block_allocator opmill_string_allocator;

/* Of the blocks of opmill_prepare, in bytes. */
#define OPMILL_BLOCK_ALIGNMENT 64

/* The memory, the threads and the instruction set that a call may use, and its error. One context
 * serves any number of calls, one at a time. All zero is a context with one thread and no
 * workspace. */
typedef struct opmill_context {
    void *workspace;       /* scratch memory, at any address; NULL where a call needs 0 bytes */
    size_t workspace_size; /* in bytes, at least what `_workspace` returns */
    int32_t threads;       /* the maximum number of threads; 0 and 1 both mean the caller's alone */
    int32_t isa;           /* of enum opmill_isa; OPMILL_ISA_AUTO uses the best available */
    opmill_error error;    /* of the last call that did not return OPMILL_OK */
    const opmill_prepared *prepared;       /* packed forms of inputs, see opmill_prepare; or NULL */
    size_t prepared_count;                 /* how many there are */
    const opmill_limits *limits;           /* of the elements of the output; or NULL */
    const opmill_block_allocator *strings; /* for strings that a call creates; or NULL */
    const opmill_block_allocator *sequences; /* for tensors of sequences that it creates; or NULL */
    void *reserved[3];                       /* NULL; reserved for later versions */
} opmill_context;

/* A context that is all zero, for an initializer: opmill_context context = OPMILL_CONTEXT_INIT; */
#define OPMILL_CONTEXT_INIT \
    {NULL, 0, 0, OPMILL_ISA_AUTO, {OPMILL_OK, ""}, NULL, 0, NULL, NULL, NULL, {NULL}}

/* Strategy of a call, as opmill_choose reports it. */
typedef struct opmill_choice {
    const char
        *variant;    /* the name of the algorithm; NULL where the operator's family has one only */
    int32_t isa;     /* of enum opmill_isa: the instruction set of the variant's loops */
    int32_t threads; /* the maximum number of threads that it uses */
} opmill_choice;

#ifdef __cplusplus
}
#endif

#endif
