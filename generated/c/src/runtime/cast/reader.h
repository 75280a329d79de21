/* Elements of any numeric type as floats, many at a time. */
#ifndef OPMILL_CAST_READER_H
#define OPMILL_CAST_READER_H

#include <stdint.h>

#include "loops.h"
#include "runtime/platform/platform.h"

typedef struct cast_reader {
    const cast_loops *loops;
    int32_t type;
    float table[256]; /* of a type of 8 bits or less without a loop, by patterns */
} cast_reader;

enum { CAST_READER_CHUNK = OPMILL_ON_STACK(1024, 64) };

/* `type` is a number type other than double and the integers of 64 bits. */
void opmill_cast_reader_begin(cast_reader *reader, int32_t type, const cast_loops *loops);

/* Converts `count` elements of `data`, from `start` on, to the nearest floats. For packed types
 * `start` is a multiple of 8 and there are at most CAST_READER_CHUNK elements. */
void opmill_cast_read(const cast_reader *reader, const void *data, int64_t start, int64_t count,
                      float *out);

#endif
