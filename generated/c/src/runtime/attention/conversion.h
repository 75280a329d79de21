/* Conversions of elements between the types of tensors and those of sums and weights. */
#ifndef OPMILL_ATTENTION_CONVERSION_H
#define OPMILL_ATTENTION_CONVERSION_H

#include "runtime/cast/loops.h"

/* Converts elements as Cast does; `to` does not overlap `from`. */
void opmill_attention_convert(const cast_loops *loops, const void *from, int32_t from_type,
                              void *to, int32_t to_type, int64_t count);

#endif
