/* The parts of a call that are the same for every operator: what is checked of inputs, attributes
 * and outputs before and after the rule, over the description of the version.
 *
 * Each function returns OPMILL_OK, or sets the context's error and returns its code. */
#ifndef OPMILL_CALL_H
#define OPMILL_CALL_H

#include <stdbool.h>

#include "opmill/operator.h"
#include "runtime/call/shapes.h"

/* The maximum number of type variables of an operator version. */
enum { OPMILL_MAX_VARIABLES = 16 };

/* The element type that each type variable is bound to, 0 for none. */
typedef struct opmill_binding {
    int32_t types[OPMILL_MAX_VARIABLES];
    int32_t first[OPMILL_MAX_VARIABLES]; /* the position of the input that bound it */
} opmill_binding;

/* Number, form and types of the inputs; `contents` says whether they must have data. */
int opmill_call_inputs(const opmill_operator *operator, const opmill_tensor *const *inputs,
                       int32_t input_count, bool contents, opmill_binding *binding,
                       opmill_context *context);

/* The same of the inputs that are known before a call; others are NULL. */
int opmill_call_known_inputs(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, bool contents, opmill_context *context);

/* The form of the attributes: no string without text, no list without values; NULL for the defaults
 * where none is required. */
int opmill_call_attributes(const opmill_operator *operator, const void *attributes,
                           opmill_context *context);

/* Checks the number of requested outputs, and that there is memory for the results. */
int opmill_call_results(const opmill_operator *operator, const void *results, int32_t output_count,
                        opmill_context *context);

/* Number of outputs that an array requests, without absent optional ones at its end. */
int32_t opmill_call_asked(const opmill_operator *operator, opmill_tensor *const *outputs,
                          int32_t output_count);

/* Makes the shapes of a variadic output ready for the rule. `stored` or `offered` is set already,
 * to the list of all outputs; it becomes that of the values of the variadic one, from `first` on.
 * So is `like`, for values of several types. */
int opmill_call_shapes(const opmill_operator *operator, const opmill_binding *binding,
                       const void *attributes, int32_t first, int32_t output_count,
                       opmill_shapes *shapes, opmill_context *context);

/* Sets the types of the derived shapes and refuses those that are too large, and a type that an
 * attribute names and the output cannot have. `rest` has those of a variadic output, whose values
 * follow after; NULL where there is none. */
int opmill_call_types(const opmill_operator *operator, const opmill_binding *binding,
                      const void *attributes, opmill_shape *shapes, int32_t output_count,
                      const opmill_shapes *rest, opmill_context *context);

/* Checks measured dims: they lie within the bounds that the rule derived. */
int opmill_call_measured(const opmill_operator *operator, const opmill_shape *bounds,
                         const opmill_shape *shapes, int32_t output_count, opmill_context *context);

/* The memory of a tensor: its first byte, and the first one after it. */
typedef struct opmill_extent {
    uintptr_t start, end;
} opmill_extent;

/* One output's type, shape (unless that is NULL) and memory; `before` is the memory of those before
 * it, from {0, 0} on. */
int opmill_call_check_output(const opmill_operator *operator, const opmill_tensor *const *inputs,
                             int32_t input_count, opmill_tensor *const *outputs, int32_t index,
                             int32_t type, const opmill_shape *shape, opmill_extent *before,
                             opmill_context *context);

/* The outputs' types, shapes and memory, which must be apart from every input's and each other's.
 * An absent optional one is NULL. */
int opmill_call_outputs(const opmill_operator *operator, const opmill_tensor *const *inputs,
                        int32_t input_count, const opmill_shape *shapes, const opmill_shapes *rest,
                        opmill_tensor *const *outputs, int32_t output_count,
                        opmill_context *context);

/* Refuses types that the library does not support. */
int opmill_call_gaps(const opmill_operator *operator, const opmill_tensor *const *inputs,
                     int32_t input_count, const opmill_shape *shapes, int32_t output_count,
                     opmill_context *context);

/* The instruction set that the context requests. */
int opmill_call_isa(const opmill_operator *operator, opmill_context *context);

/* The workspace that the context offers, where the call needs one of so many bytes. */
int opmill_call_workspace(const opmill_operator *operator, size_t bytes, opmill_context *context);

#endif
