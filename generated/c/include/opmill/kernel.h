/* What an operator version is, as data: for bindings, adapters and tests that are written once over
 * the table in opmill/kernels.h instead of once for every function. */
#ifndef OPMILL_KERNEL_H
#define OPMILL_KERNEL_H

#include "opmill/numbers.h"
#include "opmill/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How often a parameter occurs. */
enum opmill_option { OPMILL_SINGLE = 0, OPMILL_OPTIONAL = 1, OPMILL_VARIADIC = 2 };

/* Kinds of attributes, numbered as in ONNX's AttributeProto.AttributeType. */
enum opmill_kind {
    OPMILL_KIND_FLOAT = 1,
    OPMILL_KIND_INT = 2,
    OPMILL_KIND_STRING = 3,
    OPMILL_KIND_INTS = 7
};

/* An input or output. Its types are those of its type variable, or the one fixed type. */
typedef struct opmill_parameter {
    const char *name;
    int32_t option; /* of enum opmill_option */
    int32_t least;  /* of a variadic one, the least number of values */
    int32_t same;   /* of a variadic one, whether all values share one type */
    int32_t variable; /* the number of its type variable, from 0; -1 where its type is fixed */
    const int32_t *types; /* of enum opmill_type, as the schema lists them */
    int32_t type_count;
    int32_t bounded; /* of an output, whether `infer` tells no more than a bound of its shape */
} opmill_parameter;

/* An attribute, and the member of the attribute struct that holds it. */
typedef struct opmill_attribute {
    const char *name;
    int32_t kind;     /* of enum opmill_kind */
    int32_t required; /* whether a call must give it */
    int32_t optional; /* whether a call may lack it though it has no default: then the member of a
                       * number is an opmill_int or opmill_float */
    size_t offset;    /* of its member in the struct */
} opmill_attribute;

/* Where an output's type comes from, when no input of its own type variable tells it: an attribute
 * that names one, a type variable that an input binds, or a fixed type. */
typedef struct opmill_type_source {
    int32_t output;    /* the number of the output */
    int32_t attribute; /* the number of the attribute, or -1 */
    int32_t variable;  /* the number of the type variable, or -1 */
    int32_t type;      /* of enum opmill_type; OPMILL_UNDEFINED for none */
} opmill_type_source;

/* A type that the operator takes and this library does not compute with: `infer` accepts it, `run`
 * refuses it. */
typedef struct opmill_gap {
    int32_t type; /* of enum opmill_type */
    const char *reason;
} opmill_gap;

struct opmill_kernel;

/* The functions of a version take what the typed ones take, as arrays in schema order, in which the
 * values of a variadic parameter follow each other; there may be any number of them. An absent
 * optional input or output is NULL; absent ones at the end may be left out. `attributes` points to the
 * version's attribute struct, or is NULL where it has none or the defaults are meant. */
typedef int opmill_infer_function(const opmill_tensor *const *inputs, int32_t input_count,
                                  const void *attributes, opmill_shape *outputs,
                                  int32_t output_count, opmill_context *context);
typedef int opmill_measure_function(const opmill_tensor *const *inputs, int32_t input_count,
                                    const void *attributes, opmill_shape *outputs,
                                    int32_t output_count, opmill_context *context);
typedef int opmill_workspace_function(const opmill_tensor *const *inputs, int32_t input_count,
                                      const void *attributes, int32_t output_count, size_t *bytes,
                                      opmill_context *context);
typedef int opmill_choose_function(const opmill_tensor *const *inputs, int32_t input_count,
                                   const void *attributes, int32_t output_count,
                                   opmill_choice *choice, opmill_context *context);
typedef int opmill_run_function(const opmill_tensor *const *inputs, int32_t input_count,
                                const void *attributes, opmill_tensor *const *outputs,
                                int32_t output_count, opmill_context *context);

/* One version of one operator. */
typedef struct opmill_kernel {
    const char *domain;
    const char *name;
    const char *label; /* as messages begin: "Tile-13" */
    int32_t since_version;
    int32_t input_count; /* of parameters; a variadic one counts once */
    int32_t output_count;
    int32_t attribute_count;
    const opmill_parameter *inputs;
    const opmill_parameter *outputs;
    const opmill_attribute *attributes;
    const void *defaults; /* the attribute struct with its defaults */
    size_t attributes_size;
    opmill_infer_function *infer;
    opmill_workspace_function *workspace;
    opmill_run_function *run;

    /* Tells how `run` would compute a call in this context, and computes nothing; data that do not
     * decide the shapes may be missing. NULL where the family has one way of computing alone. */
    opmill_choose_function *choose;

    /* Tells the types and shapes of the outputs where data decide them, in a workspace as `run`
     * takes; the outputs that `run` is given have these. NULL where no output is bounded. */
    opmill_measure_function *measure;

    const opmill_type_source *type_sources; /* of an output, the first that applies */
    int32_t type_source_count;
    const opmill_gap *gaps;
    int32_t gap_count;
} opmill_kernel;

#ifdef __cplusplus
}
#endif

#endif
