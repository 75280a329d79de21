/* Numbers as texts, and texts as numbers. */
#ifndef OPMILL_CAST_TEXTS_H
#define OPMILL_CAST_TEXTS_H

#include "opmill/types.h"
#include "runtime/cast/formats.h"

/* Converts to strings, those of strings themselves. They are in a block of context->strings. */
int opmill_cast_to_texts(const opmill_tensor *input, opmill_tensor *output,
                         opmill_context *context);

/* Converts strings to another type. A text that is no number is refused. */
int opmill_cast_from_texts(const opmill_tensor *input, opmill_tensor *output,
                           const cast_options *options, opmill_context *context);

#endif
