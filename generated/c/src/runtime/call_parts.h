/* What the checks of a call share: the words of refusals, the form of a tensor, and how many values
 * parameters have. */
#ifndef OPMILL_CALL_PARTS_H
#define OPMILL_CALL_PARTS_H

#include <stdbool.h>

#include "opmill/kernel.h"
#include "runtime/message.h"
#include "runtime/platform.h"

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

/* How many there may be: "2", "2..3", "at least 2" where there is no bound. */
void opmill_put_range(opmill_message *message, int32_t least, int32_t most, bool variadic);

/* Whether the last of the parameters has any number of values. */
bool opmill_is_variadic(const opmill_parameter *parameters, int32_t count);

/* How many values a call gives or asks for at least. */
int32_t opmill_least_values(const opmill_parameter *parameters, int32_t count);

/* The parameter of a value: the last one for all values of a variadic. */
static inline const opmill_parameter *opmill_parameter_at(const opmill_parameter *parameters,
                                                          int32_t count, int32_t position) {
    return &parameters[position < count ? position : count - 1];
}

/* Whether a parameter takes the element type. */
bool opmill_is_listed(const opmill_parameter *parameter, int32_t type);

/* The element types that a parameter takes: "float, int64". */
void opmill_put_types(opmill_message *message, const opmill_parameter *parameter);

/* The form of a tensor: what would make a rule or a kernel read outside of it. `who` stands before
 * its name; `contents` says whether it must have data. */
int opmill_call_form(const opmill_kernel *kernel, const char *who, const char *name,
                     const opmill_tensor *tensor, bool contents, opmill_context *context);

#endif
