/* What every opmill function takes and returns: tensors, shapes, attribute lists, the call's
 * context and its error. The functions themselves are declared in the operators' own headers.
 *
 * The caller owns all memory. Nothing here points into opmill, and opmill keeps no pointer after a
 * call returns. */
#ifndef OPMILL_TYPES_H
#define OPMILL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The highest rank of a tensor, which is NumPy's too. */
#define OPMILL_MAX_RANK 64

/* The bytes of an error's message, its final NUL included. */
#define OPMILL_MESSAGE_SIZE 256

/* Element types, numbered as in ONNX's TensorProto.DataType. */
enum opmill_type {
    OPMILL_UNDEFINED = 0,
    OPMILL_FLOAT = 1,
    OPMILL_UINT8 = 2,
    OPMILL_INT8 = 3,
    OPMILL_UINT16 = 4,
    OPMILL_INT16 = 5,
    OPMILL_INT32 = 6,
    OPMILL_INT64 = 7,
    OPMILL_STRING = 8, /* an element is a `const char *`: UTF-8, ended by NUL, the caller's */
    OPMILL_BOOL = 9,   /* one byte, 0 or 1 */
    OPMILL_FLOAT16 = 10,
    OPMILL_DOUBLE = 11,
    OPMILL_UINT32 = 12,
    OPMILL_UINT64 = 13,
    OPMILL_COMPLEX64 = 14,
    OPMILL_COMPLEX128 = 15,
    OPMILL_BFLOAT16 = 16,
    OPMILL_FLOAT8E4M3FN = 17,
    OPMILL_FLOAT8E4M3FNUZ = 18,
    OPMILL_FLOAT8E5M2 = 19,
    OPMILL_FLOAT8E5M2FNUZ = 20,
    OPMILL_UINT4 = 21, /* below a byte: packed, see opmill_tensor */
    OPMILL_INT4 = 22,
    OPMILL_FLOAT4E2M1 = 23,
    OPMILL_FLOAT8E8M0 = 24,
    OPMILL_UINT2 = 25,
    OPMILL_INT2 = 26,
    OPMILL_FLOAT6E2M3 = 27,
    OPMILL_FLOAT6E3M2 = 28
};

/* What a call returns and stores in error.code; 0 is success. */
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
    OPMILL_ISA_NEON = 5
};

/* A contiguous row-major tensor. `dims` holds `rank` values and may be NULL where rank is 0; `data`
 * may be NULL where a dim is 0, and is aligned as C aligns the element type (a complex type as its
 * parts, a 16-bit float as uint16_t). Elements below a byte are packed, the first one in the lowest
 * bits; bits after the last one are ignored in inputs and 0 in outputs. */
typedef struct opmill_tensor {
    void *data;
    const int64_t *dims;
    int32_t rank;
    int32_t type; /* of enum opmill_type */
} opmill_tensor;

/* The type and shape that an `_infer` function finds for an output. */
typedef struct opmill_shape {
    int64_t dims[OPMILL_MAX_RANK]; /* the first `rank` are set */
    int32_t rank;
    int32_t type; /* of enum opmill_type */
} opmill_shape;

/* An attribute of kind INTS. An absent one has no values and a count of -1, which differs from an
 * empty one. */
typedef struct opmill_ints {
    const int64_t *values;
    int64_t count;
} opmill_ints;

/* An absent attribute of kind INTS, for an initializer: opmill_ints pads = OPMILL_INTS_ABSENT; */
#define OPMILL_INTS_ABSENT {NULL, -1}

/* Attributes of the kinds FLOATS and STRINGS, in the same way. A text is UTF-8, ended by NUL. */
typedef struct opmill_floats {
    const float *values;
    int64_t count;
} opmill_floats;

typedef struct opmill_strings {
    const char *const *values;
    int64_t count;
} opmill_strings;

#define OPMILL_FLOATS_ABSENT {NULL, -1}
#define OPMILL_STRINGS_ABSENT {NULL, -1}

/* An attribute of kind SPARSE_TENSOR: the elements of a tensor that are not 0, or of strings not
 * empty. `values` has rank 1; `indices`, of int64, has their places in row-major order, or a row
 * for each of them with an index for each axis. They ascend, and none occurs twice. NULL for an
 * absent one. */
typedef struct opmill_sparse_tensor {
    const opmill_tensor *values;
    const opmill_tensor *indices;
    const int64_t *dims;
    int32_t rank;
} opmill_sparse_tensor;

typedef struct opmill_error {
    int32_t code;                      /* of enum opmill_code */
    char message[OPMILL_MESSAGE_SIZE]; /* ended by NUL; set where code is not OPMILL_OK */
} opmill_error;

/* An input that is packed, for context.prepared: what opmill_prepare has written. */
typedef struct opmill_prepared {
    int32_t input;     /* the position of the input */
    const void *block; /* the caller's, aligned to OPMILL_BLOCK_ALIGNMENT */
    size_t bytes;      /* what opmill_prepare_size has returned */
} opmill_prepared;

enum { OPMILL_BLOCK_ALIGNMENT = 64 };

/* What surrounds a call. One context serves any number of calls, one at a time. All zero is a
 * context with one thread and no workspace. */
typedef struct opmill_context {
    void *workspace;       /* scratch memory, as much as `_workspace` says; NULL where that is 0 */
    size_t workspace_size; /* in bytes */
    int32_t threads;       /* at most so many threads; 0 and 1 both mean the caller's alone */
    int32_t isa;           /* of enum opmill_isa */
    opmill_error error;    /* what went wrong in the last call that did not return OPMILL_OK */
    const opmill_prepared *prepared; /* packed forms of inputs, see opmill_prepare; or NULL */
    size_t prepared_count;
    void *reserved[6]; /* NULL; kept for an allocator, subgraph calls and random state */
} opmill_context;

/* A context that is all zero, for an initializer: opmill_context context = OPMILL_CONTEXT_INIT; */
#define OPMILL_CONTEXT_INIT {NULL, 0, 0, OPMILL_ISA_AUTO, {OPMILL_OK, ""}, NULL, 0, {NULL}}

/* How a call is computed, as opmill_choose reports it. */
typedef struct opmill_choice {
    const char *variant; /* of the family's algorithms; NULL where the family does not report one */
    int32_t isa;         /* of enum opmill_isa: what the variant's loops are compiled for */
    int32_t threads;     /* the maximum number of threads that it uses */
} opmill_choice;

#ifdef __cplusplus
}
#endif

#endif
