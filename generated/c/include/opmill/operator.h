/* Operator versions as data, and the functions that call any of them: for bindings, adapters and
 * tests that handle all operators of the table in opmill/operators.h alike. */
#ifndef OPMILL_OPERATOR_H
#define OPMILL_OPERATOR_H

#include "opmill/numbers.h"
#include "opmill/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of values that a parameter takes. */
enum opmill_option {
    OPMILL_SINGLE = 0,   /* once */
    OPMILL_OPTIONAL = 1, /* once, or absent */
    OPMILL_VARIADIC = 2  /* any number of values */
};

/* Kinds of attributes, numbered as in ONNX's AttributeProto.AttributeType; with each, the type of
 * the attribute struct's member. */
enum opmill_kind {
    OPMILL_KIND_FLOAT = 1,          /* `float`, or opmill_float */
    OPMILL_KIND_INT = 2,            /* `int64_t`, or opmill_int */
    OPMILL_KIND_STRING = 3,         /* `const char *`, or NULL for an absent one */
    OPMILL_KIND_TENSOR = 4,         /* `const opmill_tensor *`, or NULL for an absent one */
    OPMILL_KIND_GRAPH = 5,          /* `const opmill_graph *`, or NULL */
    OPMILL_KIND_FLOATS = 6,         /* opmill_floats */
    OPMILL_KIND_INTS = 7,           /* opmill_ints */
    OPMILL_KIND_STRINGS = 8,        /* opmill_strings */
    OPMILL_KIND_SPARSE_TENSOR = 11, /* `const opmill_sparse_tensor *`, or NULL */
    OPMILL_KIND_TYPE_PROTO = 13     /* `int32_t`, of enum opmill_type; OPMILL_UNDEFINED if absent */
};

/* An input or output. Its types are those of its type variable, or the one fixed type. */
typedef struct opmill_parameter {
    const char *name;     /* ONNX's name */
    int32_t option;       /* of enum opmill_option */
    int32_t min_arity;    /* of a variadic one, the minimum number of values */
    int32_t homogeneous;  /* of a variadic one, whether all values have one type; if not, a value
                           * of an output has that of the variadic input's value at its position */
    int32_t variable;     /* the index of its type variable; -1 if its type is fixed */
    const int32_t *types; /* of enum opmill_type: tensors, in the order of the schema; then
                           * sequences, and last optionals */
    int32_t type_count;   /* the number of types */
    int32_t bounded; /* of an output, whether opmill_infer returns an upper bound of its shape */
} opmill_parameter;

/* An attribute, and the member of the attribute struct that holds it. */
typedef struct opmill_attribute {
    const char *name; /* ONNX's name */
    int32_t kind;     /* of enum opmill_kind */
    int32_t required; /* whether every call must give it */
    int32_t optional; /* whether it may be absent and has no default: the member of a number is then
                       * an opmill_int or opmill_float */
    size_t offset;    /* of its member in the struct */
} opmill_attribute;

/* The source of an output's type, when no input has its type variable: an attribute that names a
 * type or is a tensor of it, a type variable that an input binds, or a fixed type. */
typedef struct opmill_type_source {
    int32_t output;    /* the index of the output */
    int32_t attribute; /* the index of the attribute, or -1; with a type, where it is given */
    int32_t variable;  /* the index of the variable, or -1; with a type, where it has another */
    int32_t type;      /* of enum opmill_type; OPMILL_UNDEFINED for none */
} opmill_type_source;

/* An element type that the operator version allows and this library does not compute: opmill_infer
 * accepts it, opmill_run returns OPMILL_ERROR_TYPE. */
typedef struct opmill_gap {
    int32_t type;       /* of enum opmill_type */
    const char *reason; /* why, as the error message states it */
} opmill_gap;

/* One version of one operator. */
typedef struct opmill_operator {
    const char *domain;      /* "ai.onnx" for ONNX's own */
    const char *name;        /* ONNX's name of the operator, as "Tile" */
    const char *label;       /* the name and the version, as "Tile-13"; messages begin with it */
    int32_t since_version;   /* the opset that introduced this version */
    int32_t input_count;     /* of parameters; a variadic one counts once */
    int32_t output_count;    /* of parameters; a variadic one counts once */
    int32_t attribute_count; /* the number of attributes */
    const opmill_parameter *inputs;         /* in schema order */
    const opmill_parameter *outputs;        /* in schema order */
    const opmill_attribute *attributes;     /* in alphabetical order */
    const void *defaults;                   /* the attribute struct with its defaults */
    size_t attributes_size;                 /* the bytes of the attribute struct */
    const opmill_type_source *type_sources; /* of an output, the first that applies */
    int32_t type_source_count;              /* the number of type sources, of all outputs */
    const opmill_gap *gaps;                 /* the types that this library does not compute */
    int32_t gap_count;                      /* their number */
    int32_t creates_strings; /* whether outputs of type string get new strings, for which a call
                              * needs context->strings */
    int32_t creates_tensors; /* whether the items of an output that is a sequence are new tensors,
                              * for which a call needs context->sequences; if not, they are of the
                              * inputs */
    int32_t runs_graphs;     /* whether attributes are graphs: these determine the outputs, so that
                              * opmill_infer and opmill_measure check a call and refuse it */
    const struct opmill_implementation *implementation; /* private to the library */
} opmill_operator;

/* The functions below call any operator version. They take what its typed functions take, as arrays
 * in schema order, in which the values of a variadic parameter follow each other; there may be any
 * number of them. An absent optional input or output is NULL; absent ones at the end may be left
 * out. `attributes` points to the version's attribute struct, or is NULL where it has none or to
 * use the defaults. Each returns OPMILL_OK or a code of enum opmill_code. */

/* The types and shapes of the outputs. Inputs whose values do not determine them need no data. */
int opmill_infer(const opmill_operator *op, const opmill_tensor *const *inputs, int32_t input_count,
                 const void *attributes, opmill_shape *shapes, int32_t output_count,
                 opmill_context *context);

/* The types and shapes of the outputs of a call with its data: the same, except that the dims of
 * outputs for which `bounded` is set are the actual ones instead of an upper bound. Needs the
 * workspace that opmill_run needs. */
int opmill_measure(const opmill_operator *op, const opmill_tensor *const *inputs,
                   int32_t input_count, const void *attributes, opmill_shape *shapes,
                   int32_t output_count, opmill_context *context);

/* The bytes of scratch memory that a call needs in context->workspace. */
int opmill_workspace(const opmill_operator *op, const opmill_tensor *const *inputs,
                     int32_t input_count, const void *attributes, int32_t output_count,
                     size_t *bytes, opmill_context *context);

/* Reports how opmill_run would compute a call in this context: the variant, the instruction set and
 * the number of threads. Inputs whose values do not determine the shapes need no data. */
int opmill_choose(const opmill_operator *op, const opmill_tensor *const *inputs,
                  int32_t input_count, const void *attributes, int32_t output_count,
                  opmill_choice *choice, opmill_context *context);

/* Computes the outputs, which have the types and shapes that opmill_measure returns and overlap no
 * input. Unless it returns OPMILL_OK, nothing has been written to them. What the workspace contains
 * after a call is undefined, whatever the call returns. */
int opmill_run(const opmill_operator *op, const opmill_tensor *const *inputs, int32_t input_count,
               const void *attributes, opmill_tensor *const *outputs, int32_t output_count,
               opmill_context *context);

/* The caller's functions that provide a call's memory when its sizes are known. Each returns
 * OPMILL_OK, or a code with which the call ends, for instance OPMILL_ERROR_CALL. */
typedef struct opmill_allocator {
    void *user; /* passed to both */
    /* Sets an element of `outputs` for each shape, as opmill_run expects them. */
    int (*outputs)(void *user, const opmill_shape *shapes, opmill_tensor **outputs,
                   int32_t output_count);
    /* Sets the context's workspace and workspace_size to at least `bytes`. Called once, also for 0
     * bytes: after `outputs`, or before it where some output is bounded or graphs run. */
    int (*workspace)(void *user, size_t bytes, opmill_context *context);
} opmill_allocator;

/* opmill_measure, the allocation of memory and opmill_run in one call, which checks the inputs and
 * derives the shapes once. `shapes` and `outputs` have output_count elements, which the call sets.
 * allocator->outputs may set the context's number of threads where no output is bounded. Of an
 * operator that runs graphs, it is called after the last run. */
int opmill_run_allocating(const opmill_operator *op, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes, opmill_shape *shapes,
                          opmill_tensor **outputs, int32_t output_count,
                          const opmill_allocator *allocator, opmill_context *context);

/* Inputs that stay the same from call to call, as weights do, may be packed once into a block of
 * the caller's memory. A call whose context lists the block in `prepared` reads it in place of
 * packing the input anew, and computes the very bits that it would compute without. The input is
 * given as before and must not have changed since; that is the one thing that is not checked. A
 * block is for one operator version, instruction set, type and shape and the attributes and zero
 * points that it was made with; others, and damaged blocks, are refused. It has no pointers.
 *
 * So may attributes that a kernel arranges anew in every call: the trees of TreeEnsemble,
 * TreeEnsembleClassifier and TreeEnsembleRegressor. Their position is OPMILL_PREPARE_ATTRIBUTES;
 * `inputs` are those of a call, with any number of rows and without data. A block is for one
 * operator version, instruction set, type and number of features, and for the attributes, of which
 * a call checks the lengths and some values. */

/* What can be prepared beside inputs, at the place of an input's position. */
enum opmill_prepare_position {
    OPMILL_PREPARE_ATTRIBUTES = -1 /* the attributes */
};

/* The bytes of a block for the input at a position. 0 where nothing is gained by packing it: then
 * there is nothing to prepare. `inputs` has this input and the zero points that belong to it; all
 * others may be NULL. Only zero points need data. */
int opmill_prepare_size(const opmill_operator *op, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes, int32_t input, size_t *bytes,
                        opmill_context *context);

/* Packs the input into a block of at least so many bytes, aligned to OPMILL_BLOCK_ALIGNMENT, for
 * calls with the context's instruction set. The arguments are those of opmill_prepare_size. For
 * attributes the context needs the workspace of a call without the block, as opmill_workspace
 * returns it, and they are checked as in a call. */
int opmill_prepare(const opmill_operator *op, const opmill_tensor *const *inputs,
                   int32_t input_count, const void *attributes, int32_t input, void *block,
                   size_t bytes, opmill_context *context);

#ifdef __cplusplus
}
#endif

#endif
