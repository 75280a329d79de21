/* Reads elements of any numeric type as floats: by a loop of the instruction set where there is
 * one, by a table of 256 floats for 8-bit types, otherwise one by one. */
#include "reader.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"

void opmill_cast_reader_begin(cast_reader *reader, int32_t type, const cast_loops *loops) {
    static const cast_options plain = {true, false, CAST_UP};
    reader->loops = loops;
    reader->type = type;
    if (type < CAST_TYPES) {
        return;
    }
    for (uint32_t pattern = 0; pattern < 1u << opmill_type_bits(type); pattern++) {
        const uint64_t bits = opmill_cast_bits(pattern, type, OPMILL_FLOAT, &plain);
        reader->table[pattern] = opmill_float_of_bits((uint32_t)bits);
    }
}

void opmill_cast_read(const cast_reader *reader, const void *data, int64_t start, int64_t count,
                      float *out) {
    const int32_t bits = opmill_type_bits(reader->type);
    const uint8_t *from = (const uint8_t *)data + start / 8 * bits + start % 8 * bits / 8;
    uint8_t unpacked[CAST_READER_CHUNK];
    if (reader->type == OPMILL_FLOAT) {
        memcpy(out, from, (size_t)count * sizeof *out);
        return;
    }
    if (reader->type < CAST_TYPES) {
        reader->loops->between[reader->type][OPMILL_FLOAT](out, from, count);
        return;
    }
    if (bits < 8) {
        opmill_cast_unpack(unpacked, from, count, bits);
        from = unpacked;
    }
    for (int64_t i = 0; i < count; i++) {
        out[i] = reader->table[from[i]];
    }
}
