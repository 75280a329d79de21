#include "runtime/platform/stream.h"

#include <string.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void write_held(opmill_stream *stream) {
    memcpy(stream->to, stream->line, stream->held);
    stream->held = 0;
}

void opmill_stream_begin(opmill_stream *stream, const opmill_mover *mover) {
    stream->mover = mover;
    stream->to = NULL;
    stream->held = 0;
}

void opmill_stream_write(opmill_stream *stream, void *to, const void *from, size_t bytes) {
    uint8_t *out = to;
    const uint8_t *in = from;
    size_t taken = 0;
    if (stream->held > 0 && out != stream->to + stream->held) {
        write_held(stream);
    }
    if (stream->held > 0) {
        taken = least(bytes, OPMILL_LINE_BYTES - stream->held);
        memcpy(stream->line + stream->held, in, taken);
        stream->held += taken;
        if (stream->held < OPMILL_LINE_BYTES) {
            return;
        }
        stream->mover->lines(stream->to, stream->line, 1);
        stream->held = 0;
    } else {
        /* The begin of this line is not this stream's, or was not held back. */
        taken = least(bytes, (size_t)(-(uintptr_t)out % OPMILL_LINE_BYTES));
        memcpy(out, in, taken);
    }
    const size_t lines = (bytes - taken) / OPMILL_LINE_BYTES;
    stream->mover->lines(out + taken, in + taken, lines);
    taken += lines * OPMILL_LINE_BYTES;
    stream->to = out + taken;
    stream->held = bytes - taken;
    memcpy(stream->line, in + taken, stream->held);
}

void opmill_stream_end(opmill_stream *stream) {
    if (stream->held > 0) {
        write_held(stream);
    }
    stream->mover->settle();
}
