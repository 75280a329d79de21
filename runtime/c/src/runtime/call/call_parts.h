/* Shared parts of the checks of a call: error messages, the form of a tensor, and how many values
 * parameters have. */
#ifndef OPMILL_CALL_PARTS_H
#define OPMILL_CALL_PARTS_H

#include <stdbool.h>

#include "opmill/operator.h"
#include "runtime/call/message.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/platform.h"

/* Refuse a call; both return the code. A message of parts, which NULL ends. */
OPMILL_COLD int opmill_call_fail(opmill_context *context, int32_t code, const char *label,
                                 const char *const *parts);
#define FAIL(context, code, label, ...) \
    opmill_call_fail(context, code, label, (const char *const[]){__VA_ARGS__, NULL})

/* A shared text whose gaps the parts fill, in order. */
OPMILL_COLD int opmill_call_fill(opmill_context *context, int32_t code, const char *label,
                                 const char *text, const char *const *parts);
#define FILL(context, code, label, text, ...) \
    opmill_call_fill(context, code, label, text, (const char *const[]){__VA_ARGS__, NULL})

/* Writes an allowed number of values: "2", "2..3", "at least 2" without an upper bound. */
void opmill_put_range(opmill_message *message, int32_t min_count, int32_t max_count, bool variadic);

/* True if the last of the parameters has any number of values. */
static inline bool opmill_is_variadic(const opmill_parameter *parameters, int32_t count) {
    return count > 0 && parameters[count - 1].option == OPMILL_VARIADIC;
}

/* The minimum number of values that a call passes or requests. */
static inline int32_t opmill_min_values(const opmill_parameter *parameters, int32_t count) {
    int32_t min_count = 0;
    for (int32_t i = 0; i < count; i++) {
        if (parameters[i].option == OPMILL_SINGLE) {
            min_count = i + 1;
        } else if (parameters[i].option == OPMILL_VARIADIC && parameters[i].min_arity > 0) {
            min_count = i + parameters[i].min_arity;
        }
    }
    return min_count;
}

/* One value of a call: the parameter that it is given for, and which value of a variadic it is; or
 * a tensor of a sequence. */
typedef struct opmill_value {
    const opmill_parameter *parameter;
    int32_t index;
    bool is_item; /* whether it is the tensor at `index` of a sequence */
} opmill_value;

/* The parameter of the value at a position: the last one for all values of a variadic. */
static inline opmill_value opmill_value_at(const opmill_parameter *parameters, int32_t count,
                                           int32_t position) {
    const int32_t last = position < count ? position : count - 1;
    return (opmill_value){&parameters[last], position - last, false};
}

/* Name of a value in messages: its parameter, or "inputs[1]", the second of a variadic or of a
 * sequence. No more of it than a message holds. */
typedef struct opmill_name {
    char text[OPMILL_MESSAGE_SIZE];
} opmill_name;
OPMILL_COLD const char *opmill_name_of(opmill_value value, opmill_name *name);

/* True if a parameter can be nothing but a sequence. */
static inline bool opmill_takes_sequences(const opmill_parameter *parameter) {
    return parameter->type_count > 0 && opmill_is_sequence(parameter->types[0]);
}

/* True if a parameter can be nothing but an optional. */
static inline bool opmill_takes_optionals(const opmill_parameter *parameter) {
    return parameter->type_count > 0 && opmill_is_optional(parameter->types[0]);
}

/* True if a parameter can be nothing but a map. */
static inline bool opmill_takes_maps(const opmill_parameter *parameter) {
    return parameter->type_count > 0 && opmill_is_map(parameter->types[0]);
}

/* True if the last of the outputs is a sequence of tensors. */
static inline bool opmill_gives_sequence(const opmill_parameter *outputs, int32_t count) {
    return count > 0 && opmill_takes_sequences(&outputs[count - 1]);
}

/* True if a parameter takes the type. An empty sequence may be of any, and so may an optional
 * without contents: a list of types ends with sequences, or with optionals after these. */
static inline bool opmill_is_listed(const opmill_parameter *parameter, int32_t type) {
    for (int32_t i = 0; i < parameter->type_count; i++) {
        if (parameter->types[i] == type ||
            (type == OPMILL_SEQUENCE && opmill_is_sequence(parameter->types[i]))) {
            return true;
        }
    }
    for (int32_t i = parameter->type_count;
         i > 0 && opmill_has_items(type) && opmill_element_type(type) == OPMILL_UNDEFINED; i--) {
        const int32_t listed = parameter->types[i - 1];
        if (listed - opmill_element_type(listed) == type ||
            (type == OPMILL_OPTIONAL_TYPE && opmill_is_optional(listed))) {
            return true;
        }
    }
    return false;
}

/* The types that a parameter takes: "float, int64". Where it takes tensors, sequences and
 * optionals, those alone that are what the given type is, if there are any; where it takes
 * optionals alone, the types of their contents. */
void opmill_put_types(opmill_message *message, const opmill_parameter *parameter, int32_t given);

/* The same of an attribute that names a type: of a sequence, those of its tensors. */
void opmill_put_elements(opmill_message *message, const opmill_parameter *parameter);

/* Refuses a value of a type that its parameter does not take: `type` is how the message names it,
 * `given` selects the types that are listed, as in opmill_put_types. */
OPMILL_COLD int opmill_call_wrong_type(const opmill_operator *operator, opmill_value value,
                                       const char *type, int32_t given, opmill_context *context);

/* The form of a tensor: what would make a rule or a kernel read outside of it. `who` stands before
 * the name of the value; `contents` says whether it must have data. */
int opmill_call_form(const opmill_operator *operator, const char *who, opmill_value value,
                     const opmill_tensor *tensor, bool contents, opmill_context *context);

/* The tensors of a sequence, the contents of an optional, or the keys and the values of a map,
 * which opmill_call_form accepts: their type, their form, and their strings; the order of keys. */
int opmill_call_items(const opmill_operator *operator, opmill_value value,
                      const opmill_tensor *sequence, bool contents, opmill_context *context);

/* The elements of a string tensor, which opmill_call_form accepts: none is NULL. */
int opmill_call_strings(const opmill_operator *operator, opmill_value value,
                        const opmill_tensor *tensor, opmill_context *context);

#endif
