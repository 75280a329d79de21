/* Whether the attributes of a call have been checked before it. */
#ifndef OPMILL_RUNTIME_IS_PREPARED_H
#define OPMILL_RUNTIME_IS_PREPARED_H

#include <stdbool.h>

#include "opmill/types.h"

/* True where the context has a form of the attributes, which were checked when it was prepared. If
 * the form is of other attributes, the driver refuses the call after the rule. */
bool opmill_is_prepared(const opmill_context *context);

#endif
