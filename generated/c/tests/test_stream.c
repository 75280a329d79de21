/* Writing around the caches, piece by piece: pieces of any length, from any address to any, that
 * follow each other or do not, and that leave gaps. */
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "guarded.h"
#include "opmill/isa.h"
#include "runtime/platform/stream.h"

enum { ROUNDS = 3000, MAX_BYTES = 2000, MAX_PIECE = 300, LONG_PIECE = 20 };

static uint32_t state = 1;

/* A number below `end`. */
static size_t draw(size_t end) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % end;
}

/* Writes some pieces of `bytes` from one memory to the other, and notes which bytes they cover. */
static void write_pieces(opmill_stream *stream, unsigned char *to, const unsigned char *from,
                         size_t bytes, bool *covered) {
    const size_t limit = draw(2) ? MAX_PIECE : LONG_PIECE;
    size_t at = 0;
    while (at < bytes) {
        const size_t wanted = draw(limit), left = bytes - at;
        const size_t piece = wanted < left ? wanted : left;
        if (draw(8) == 0) { /* a gap, or a step back to bytes that are written again */
            const size_t step = draw(100);
            at = draw(2) && at > step ? at - step : at + step < bytes ? at + step : at;
            continue;
        }
        opmill_stream_write(stream, to + at, from + at, piece);
        memset(covered + at, true, piece);
        at += piece;
    }
}

static void check_round(const opmill_mover *mover) {
    const size_t bytes = draw(MAX_BYTES), offset = draw(OPMILL_LINE_BYTES);
    guarded memory = guarded_new(bytes + offset, draw(2));
    unsigned char *const to = memory.data + (draw(2) ? offset : 0);
    unsigned char from[MAX_BYTES + OPMILL_LINE_BYTES];
    bool covered[MAX_BYTES] = {false};
    opmill_stream stream;
    for (size_t i = 0; i < sizeof from; i++) {
        from[i] = (unsigned char)draw(PATTERN); /* which is not PATTERN */
    }
    const unsigned char *const source = from + draw(OPMILL_LINE_BYTES);
    opmill_stream_begin(&stream, mover);
    write_pieces(&stream, to, source, bytes, covered);
    opmill_stream_end(&stream);
    size_t wrong = 0;
    for (size_t i = 0; i < bytes; i++) {
        wrong += to[i] != (covered[i] ? source[i] : PATTERN);
    }
    check(wrong == 0, "every byte that was written, and no other");
    check(guarded_intact(&memory), "nothing beside the output");
    guarded_free(&memory);
}

int main(void) {
    int movers = 0;
    for (int32_t isa = OPMILL_ISA_PLAIN; opmill_isa_name(isa) != NULL; isa++) {
        const opmill_mover *const mover = opmill_mover_for(isa);
        if (!opmill_isa_available(isa) || mover->lines == NULL) {
            continue;
        }
        movers++;
        for (int round = 0; round < ROUNDS; round++) {
            about("%s, round %d", opmill_isa_name(isa), round);
            check_round(mover);
        }
    }
    if (movers == 0) {
        puts("nothing goes around the caches here: not run");
        return 77;
    }
    return finish("streams of pieces");
}
