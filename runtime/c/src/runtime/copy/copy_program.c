/* Compiles the innermost levels of a copy to a list of byte shuffles, each of which loads one or
 * two windows, and runs the list for one block after another. */
#include "runtime/copy/copy_program.h"

#include <string.h>

#include "runtime/platform/platform.h"

/* Lists of bytes are handled in groups of so many, which compilers turn into vectors; a list is
 * longer by a window than what it holds, so that groups may go beyond its end. */
enum { GROUP = 8, LIST = OPMILL_PROGRAM_BYTES + OPMILL_MOVE_BYTES };

/* Makes `times` copies, in place, of the first `length` entries: each is `step` more than the one
 * before. Returns the new length. */
static int32_t extend(int16_t *origin, int32_t length, int64_t times, int64_t step) {
    int64_t have = 1;
    while (have < times) {
        int64_t more = times - have < have ? times - have : have;
        int16_t add = (int16_t)(have * step);
        int16_t *to = origin + have * length;
        for (int64_t i = 0; i < more * length; i += GROUP) {
            int16_t group[GROUP];
            memcpy(group, origin + i, sizeof group);
            for (int j = 0; j < GROUP; j++) {
                group[j] = (int16_t)(group[j] + add);
            }
            memcpy(to + i, group, sizeof group);
        }
        have += more;
    }
    return (int32_t)times * length;
}

/* For each byte of the output block, where in the input block it comes from. Returns the bytes. */
static int32_t trace(int16_t *origin, const opmill_copy_level *levels, int32_t count, int64_t run) {
    int32_t length;
    memset(origin, 0, (LIST) * sizeof *origin);
    length = extend(origin, 1, run, 1);
    for (int32_t i = count - 1; i >= 0; i--) {
        length = extend(origin, length, levels[i].repeat, 0);
        length = extend(origin, length, levels[i].keep, levels[i].in_bytes);
    }
    for (int32_t i = 0; i < OPMILL_MOVE_BYTES; i++) {
        origin[length + i] = origin[length - 1];
    }
    return length;
}

/* One shuffle: as many bytes of the output as come from one window. Returns their number. */
OPMILL_INLINE int32_t shuffle(const int16_t *origin, int32_t left, const int32_t window,
                              int32_t in_bytes, uint16_t *from, uint8_t *shuffles) {
    int16_t low = origin[0];
    int16_t high = origin[0];
    int32_t taken = left < window ? left : window;
    for (int32_t i = 0; i < window; i++) {
        low = origin[i] < low ? origin[i] : low;
        high = origin[i] > high ? origin[i] : high;
    }
    if (high - low >= window) {
        low = origin[0];
        high = origin[0];
        for (taken = 1; taken < window; taken++) {
            int16_t lowest = origin[taken] < low ? origin[taken] : low;
            int16_t highest = origin[taken] > high ? origin[taken] : high;
            if (highest - lowest >= window) {
                break;
            }
            low = lowest;
            high = highest;
        }
        taken = left < taken ? left : taken;
    }
    if (low > in_bytes - window) { /* keep the window inside the block where that is possible */
        low = (int16_t)(in_bytes > window ? in_bytes - window : 0);
    }
    *from = (uint16_t)low;
    for (int32_t i = 0; i < window; i++) { /* those beyond `taken` are overwritten by the next */
        shuffles[i] = (uint8_t)(origin[i] - low);
    }
    return taken;
}

static int32_t shuffle_window(const int16_t *origin, int32_t left, int32_t window, int32_t in_bytes,
                              uint16_t *from, uint8_t *shuffles) {
    if (window == 64) {
        return shuffle(origin, left, 64, in_bytes, from, shuffles);
    }
    return shuffle(origin, left, 16, in_bytes, from, shuffles);
}

bool opmill_program_build(opmill_program *program, const opmill_mover *mover,
                          const opmill_copy_level *levels, int32_t count, int64_t run) {
    int16_t origin[LIST];
    int32_t window = mover->window;
    int32_t width = window * mover->windows;
    int32_t bytes = trace(origin, levels, count, run);
    int32_t in_bytes = (int32_t)(levels->keep * levels->in_bytes);
    int32_t max_moves = (int32_t)sizeof program->shuffles / width;
    int32_t done = 0;
    program->in_bytes = in_bytes;
    program->out_bytes = bytes;
    program->width = width;
    program->count = 0;
    if (max_moves > OPMILL_PROGRAM_MOVES) {
        max_moves = OPMILL_PROGRAM_MOVES;
    }
    while (done < bytes) {
        opmill_move *move = &program->moves[program->count];
        uint8_t *shuffles = program->shuffles + program->count * width;
        int32_t taken;
        if (program->count == max_moves) {
            return false;
        }
        move->to = (uint16_t)done;
        taken =
            shuffle_window(origin + done, bytes - done, window, in_bytes, &move->from[0], shuffles);
        done += taken;
        if (mover->windows == 2) {
            move->from[1] = move->from[0];
            if (taken == window && done < bytes) {
                done += shuffle_window(origin + done, bytes - done, window, in_bytes,
                                       &move->from[1], shuffles + window);
            } else {
                memset(shuffles + window, 0, (size_t)window);
            }
        }
        program->count++;
    }
    return true;
}

void opmill_program_run(const opmill_program *program, const opmill_mover *mover, uint8_t *out,
                        const uint8_t *in, int64_t bytes, const uint8_t *out_end,
                        const uint8_t *in_end) {
    int32_t in_bytes = program->in_bytes;
    int32_t out_bytes = program->out_bytes;
    int32_t overread = in_bytes < mover->window ? mover->window - in_bytes : 0;
    int64_t blocks = bytes / out_bytes;
    /* Blocks after which there is still room for what a move stores or loads too much. */
    int64_t roomy = (out_end - out - program->width) / out_bytes;
    int64_t readable = (in_end - in - overread) / in_bytes;
    if (roomy < blocks) {
        blocks = roomy > 0 ? roomy : 0;
    }
    if (readable < blocks) {
        blocks = readable > 0 ? readable : 0;
    }
    mover->run(program, out, in, blocks);
    out += blocks * out_bytes;
    in += blocks * in_bytes;
    bytes -= blocks * out_bytes;
    while (bytes > 0) { /* the last few, by way of buffers that have the room */
        uint8_t source[OPMILL_PROGRAM_BYTES + OPMILL_MOVE_BYTES];
        uint8_t target[OPMILL_PROGRAM_BYTES + OPMILL_MOVE_BYTES];
        int64_t readable_bytes = in_end - in < in_bytes ? in_end - in : in_bytes;
        int64_t written = bytes < out_bytes ? bytes : out_bytes;
        memcpy(source, in, (size_t)readable_bytes);
        mover->run(program, target, source, 1);
        memcpy(out, target, (size_t)written);
        out += written;
        in += in_bytes;
        bytes -= written;
    }
}
