/* The course of a call, the same for every operator version: checks, rule, kernel. A version
 * provides an opmill_implementation, functions that pass the call's parts to its rule and its
 * kernel; driver.c calls them. */
#ifndef OPMILL_DRIVER_H
#define OPMILL_DRIVER_H

#include <stdbool.h>

#include "opmill/operator.h"
#include "runtime/call/shapes.h"

struct opmill_packing;

/* A call in progress. "Listed" parameters are those that are not variadic. */
typedef struct opmill_call {
    const opmill_operator *operator;
    const opmill_tensor *const *inputs; /* the listed ones, NULL where absent */
    const opmill_tensor *const *values; /* of a variadic input */
    const void *attributes;             /* the defaults where the caller gives none */
    opmill_tensor *const *outputs;      /* NULL unless the call computes */
    opmill_shape *shapes;               /* of the listed outputs */
    opmill_shapes *rest;                /* of a variadic output or a sequence, otherwise NULL */
    void *plan;
    opmill_context *context;
    int32_t input_count; /* of all inputs */
    int32_t value_count;
    int32_t output_count; /* of all outputs that the call requests */
    bool needs_data;
    int (*end)(const struct opmill_call *call); /* what follows the rule */

    /* The caller's memory for what `end` returns; `results` is the one of these that is set. */
    const void *results;
    opmill_shape *all_shapes;
    opmill_shape *const *each_shape;
    size_t *bytes;
    opmill_choice *choice;
    opmill_tensor **allocated; /* of opmill_run_allocating: what `outputs` points to; else NULL */
    const opmill_allocator *allocator;
} opmill_call;

/* Functions that call a version's rule and its family's kernel. */
typedef struct opmill_implementation {
    /* Calls opmill_call_perform with memory of its own stack frame: `shapes` has shape_count
     * elements, twice as many where some output is bounded. */
    int (*enter)(opmill_call *call);
    int32_t shape_count; /* of the shapes that the rule derives */
    /* The rule: derives shapes and plan of a call whose inputs and attributes are valid. */
    int (*derive)(const opmill_call *call);
    int (*compute)(const opmill_call *call);
    /* Sets the types and the shapes of outputs that the rule does not know, those of operators with
     * maps; NULL where it derives them. */
    int (*shape)(const opmill_call *call);
    /* NULL where the kernel needs no workspace, has one variant, or no output is bounded. */
    size_t (*workspace)(const opmill_call *call);
    void (*choose)(const opmill_call *call, opmill_choice *choice);
    int (*measure)(const opmill_call *call);
    /* Describes and makes the packed form of an input (runtime/call/prepared.h), and the inputs
     * that have one, a bit for each position; NULL and 0 where there is none. */
    void (*prepare)(struct opmill_packing *packing, void *to, const opmill_context *context);
    uint64_t prepared_inputs;
    /* Describes and makes the form of the attributes (runtime/call/prepared.h); NULL for none. */
    int (*arrange)(const opmill_call *call, struct opmill_packing *packing, void *to);
    bool takes_limits; /* whether the kernel applies context->limits to an output of type float */
} opmill_implementation;

/* An optional output, or its shape; NULL where the call does not ask for it. */
static inline opmill_tensor *opmill_call_output(const opmill_call *call, int32_t index) {
    return index < call->output_count ? call->outputs[index] : NULL;
}

static inline opmill_shape *opmill_call_shape(const opmill_call *call, int32_t index) {
    return index < call->output_count ? &call->shapes[index] : NULL;
}

/* An input that is a sequence: its tensors, their number, and their element type. */
static inline const opmill_tensor *const *opmill_call_items_of(const opmill_tensor *sequence) {
    return sequence->data;
}

static inline int32_t opmill_call_item_count(const opmill_tensor *sequence) {
    return (int32_t)sequence->dims[0];
}

static inline int32_t opmill_call_item_type(const opmill_tensor *sequence) {
    return opmill_element_type(sequence->type);
}

/* The contents of an input that is an optional, NULL if it has none; another input itself. */
static inline const opmill_tensor *opmill_call_contents(const opmill_tensor *input) {
    if (input == NULL || !opmill_is_optional(input->type)) {
        return input;
    }
    return input->dims[0] > 0 ? *(const opmill_tensor *const *)input->data : NULL;
}

/* The keys and the values of an input that is a map. */
static inline const opmill_tensor *opmill_call_keys(const opmill_tensor *map) {
    return ((const opmill_tensor *const *)map->data)[0];
}

static inline const opmill_tensor *opmill_call_map_values(const opmill_tensor *map) {
    return ((const opmill_tensor *const *)map->data)[1];
}

/* Refuses the call if a listed input is an optional without contents. */
int opmill_call_need_contents(const opmill_call *call, int32_t position);

/* The element type of the values of a variadic input. */
static inline int32_t opmill_call_value_type(const opmill_call *call) {
    return call->value_count > 0 ? call->values[0]->type : OPMILL_UNDEFINED;
}

/* Continues a call. `inputs` has an element for each listed input. */
int opmill_call_perform(opmill_call *call, const opmill_tensor **inputs, opmill_shape *shapes,
                        void *plan);

/* opmill_infer and opmill_measure with a pointer for each shape, NULL where it is not wanted, for
 * versions without a variadic output. */
int opmill_infer_each(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes, opmill_shape *const *shapes,
                      opmill_context *context);
int opmill_measure_each(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const void *attributes, opmill_shape *const *shapes,
                        opmill_context *context);

/* Shared parts of the files of versions. Arguments as the lists that functions of any version
 * take: inputs, outputs, shapes of outputs. */
#define OPMILL_INPUTS(...) (const opmill_tensor *const[]){__VA_ARGS__}
#define OPMILL_OUTPUTS(...) (opmill_tensor *const[]){__VA_ARGS__}
#define OPMILL_SHAPES(...) (opmill_shape *const[]){__VA_ARGS__}

/* Defines `enter`, with memory for so many inputs and shapes, and for the plan. */
#define OPMILL_DEFINE_ENTER(input_memory, shape_memory, plan_type)                                 \
    static int enter(opmill_call *call) {                                                          \
        const opmill_tensor *listed[input_memory];                                                 \
        opmill_shape shapes[shape_memory];                                                         \
        plan_type plan;                                                                            \
        return opmill_call_perform(call, listed, shapes, &plan);                                   \
    }

/* Fields of an opmill_operator: which version it is; a table, and how many rows it has; the
 * defaults of the attributes. */
#define OPMILL_VERSION(in_domain, called, number)                                                  \
    .domain = in_domain, .name = called, .label = called "-" #number, .since_version = number
#define OPMILL_TABLE(one, table)                                                                   \
    .one##_count = (int32_t)(sizeof table / sizeof table[0]), .one##s = table
#define OPMILL_DEFAULTS(values) .defaults = &(values), .attributes_size = sizeof(values)

#endif
