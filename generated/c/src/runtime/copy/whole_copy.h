/* Copies of a whole tensor, in its order. */
#ifndef OPMILL_WHOLE_COPY_H
#define OPMILL_WHOLE_COPY_H

#include "opmill/types.h"

/* Writes the elements of `from` to `to`, which has as many, with context->threads and context->isa.
 */
void opmill_whole_copy_run(const opmill_tensor *from, opmill_tensor *to,
                           const opmill_context *context);

/* Tells how opmill_whole_copy_run would do it, in the same context. */
void opmill_whole_copy_choose(const opmill_tensor *from, const opmill_context *context,
                              opmill_choice *choice);

#endif
