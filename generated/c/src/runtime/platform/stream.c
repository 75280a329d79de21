/* Writes a stream of pieces with non-temporal stores in whole cache lines. The incomplete last line
 * of a piece is buffered until the next piece completes it. */
#include "runtime/platform/stream.h"

#include <string.h>

static size_t min_of(size_t a, size_t b) { return a < b ? a : b; }

static void write_pending(opmill_stream *stream) {
    memcpy(stream->to, stream->line, stream->pending);
    stream->pending = 0;
}

void opmill_stream_begin(opmill_stream *stream, const opmill_mover *mover) {
    stream->mover = mover;
    stream->to = NULL;
    stream->pending = 0;
}

void opmill_stream_write(opmill_stream *stream, void *to, const void *from, size_t bytes) {
    uint8_t *out = to;
    const uint8_t *in = from;
    size_t taken = 0;
    if (stream->pending > 0 && out != stream->to + stream->pending) {
        write_pending(stream);
    }
    if (stream->pending > 0) {
        taken = min_of(bytes, OPMILL_LINE_BYTES - stream->pending);
        memcpy(stream->line + stream->pending, in, taken);
        stream->pending += taken;
        if (stream->pending < OPMILL_LINE_BYTES) {
            return;
        }
        stream->mover->lines(stream->to, stream->line, 1);
        stream->pending = 0;
    } else {
        /* The begin of this line is not this stream's, or was not held back. */
        taken = min_of(bytes, (size_t)(-(uintptr_t)out % OPMILL_LINE_BYTES));
        memcpy(out, in, taken);
    }
    const size_t lines = (bytes - taken) / OPMILL_LINE_BYTES;
    stream->mover->lines(out + taken, in + taken, lines);
    taken += lines * OPMILL_LINE_BYTES;
    stream->to = out + taken;
    stream->pending = bytes - taken;
    memcpy(stream->line, in + taken, stream->pending);
}

void opmill_stream_end(opmill_stream *stream) {
    if (stream->pending > 0) {
        write_pending(stream);
    }
    stream->mover->settle();
}
