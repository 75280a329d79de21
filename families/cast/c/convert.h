/* The conversion of a tensor: which way it takes, and its work on several threads. */
#ifndef OPMILL_CAST_CONVERT_H
#define OPMILL_CAST_CONVERT_H

#include "opmill/types.h"
#include "runtime/cast/formats.h"

/* Converts the elements of `input` to the type of `output`, which has its shape. */
void opmill_cast_convert(const opmill_tensor *input, opmill_tensor *output,
                         const cast_options *options, const opmill_context *context);

/* Tells how opmill_cast_convert would do it. What `kernel` says:
 *
 *     copy     the bits stay as they are
 *     loop     the processor converts
 *     float    it converts to float, if need be, and then again; to a type of 8 bits or less by
 * steps on the bits of many floats at a time table    a type of 8 bits or less, by the results for
 * all of its patterns bits     one by one */
void opmill_cast_choose(const opmill_tensor *input, int32_t to, const cast_options *options,
                        const opmill_context *context, opmill_choice *choice);

#endif
