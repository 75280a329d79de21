/* The hot loops of the copy engine, compiled once for each instruction set. The file that
 * includes this one defines, inside OPMILL_TARGET_BEGIN:
 *
 *     MOVER_WIDTH              bytes of a move
 *     mover_shuffle(in, move, shuffles)  loads and shuffles them, as a mover_vector
 *     mover_vector, mover_load, mover_store
 *     mover_store_around       stores to an aligned address, around the caches; on x86-64 */

/* Prefetch distance ahead of the stores: stores that straddle lines gain most. */
enum { MOVER_AHEAD = 1024 };

static void run(const opmill_program *program, uint8_t *out, const uint8_t *in, int64_t blocks) {
    const opmill_move *end = program->moves + program->count;
    for (; blocks > 0; blocks--) {
        const uint8_t *shuffles = program->shuffles;
        for (const opmill_move *move = program->moves; move < end; move++) {
            uint8_t *to = out + move->to;
            mover_store(to, mover_shuffle(in, move, shuffles));
            __builtin_prefetch(to + MOVER_AHEAD, 1);
            shuffles += MOVER_WIDTH;
        }
        in += program->in_bytes;
        out += program->out_bytes;
    }
}

/* The last move of a row may overlap the one before. */
static void rows(uint8_t *out, int64_t out_step, const uint8_t *in, int64_t in_step, int64_t bytes,
                 int64_t count) {
    const int64_t last = bytes - MOVER_WIDTH;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t at = 0; at < last; at += MOVER_WIDTH) {
            mover_store(out + at, mover_load(in + at));
        }
        mover_store(out + last, mover_load(in + last));
        in += in_step;
        out += out_step;
    }
}

#if OPMILL_X86_64
static void lines(uint8_t *out, const uint8_t *in, size_t count) {
    for (; count > 0; count--) {
        for (size_t i = 0; i < OPMILL_LINE_BYTES; i += sizeof(mover_vector)) {
            mover_store_around(out + i, mover_load(in + i));
        }
        out += OPMILL_LINE_BYTES;
        in += OPMILL_LINE_BYTES;
    }
}

static void settle(void) { _mm_sfence(); }
#endif
