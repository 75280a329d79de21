/* One row of the direct kernel for one element type; direct.c includes this once a type, with
 * DIRECT_SUM (what sums are held in), DIRECT_LOAD, DIRECT_STORE and DIRECT_ROW.
 *
 * A row is summed up in pieces that fit a small buffer. For each piece, each combination of taps
 * on the outer axes that meets an input, and each tap on the last axis, the inputs that land in
 * the piece are one run, which is found once for all channels.
 */

static void DIRECT_ROW(const conv_transpose_problem *problem, int64_t item, int64_t map,
                       const int64_t *row, int64_t from, int64_t to) {
    typedef DIRECT_SUM sum;
    const int32_t outer = problem->axis_count - 1;
    const conv_transpose_axis *const axis = &problem->axes[outer];
    const int64_t channels = problem->channels;
    const int64_t group = map / problem->maps;
    const int64_t w_step = problem->maps * problem->kernel_size;
    const int64_t x_first =
        (item * problem->groups + group) * channels * problem->in_size; /* as elements */
    const int64_t w_first = group * channels * w_step + map % problem->maps * problem->kernel_size;
    int64_t y_row = item * problem->groups * problem->maps + map;
    for (int32_t a = 0; a < problem->axis_count; a++) {
        y_row = y_row * problem->axes[a].out + (a < outer ? row[a] : 0);
    }
    const sum bias = problem->bias ? DIRECT_LOAD(problem->bias, map) : (sum)0;

    for (int64_t start = from; start < to; start += DIRECT_PIECE) {
        const int64_t end = to - start < DIRECT_PIECE ? to : start + DIRECT_PIECE;
        sum sums[DIRECT_PIECE];
        for (int64_t i = 0; i < end - start; i++) {
            sums[i] = 0;
        }
        int64_t taps[CONV_TRANSPOSE_MAX_AXES] = {0};
        while (channels > 0) {
            /* Where the inputs of this combination of outer taps are, if there are any. */
            int64_t x_offset = 0;
            int64_t w_offset = 0;
            bool meets = true;
            for (int32_t a = 0; a < outer && meets; a++) {
                const conv_transpose_axis *const other = &problem->axes[a];
                const int64_t reach = row[a] + other->begin - taps[a] * other->dilation;
                const int64_t x = reach / other->stride;
                meets = reach >= 0 && x * other->stride == reach && x < other->in;
                x_offset = x_offset * other->in + x;
                w_offset = w_offset * other->kernel + taps[a];
            }
            for (int64_t tap = 0; meets && tap < axis->kernel; tap++) {
                const int64_t shift = tap * axis->dilation - axis->begin - start;
                const int64_t first = shift < 0 ? (-shift - 1) / axis->stride + 1 : 0;
                int64_t count = end - start - 1 - shift;
                count = count < 0 ? 0 : count / axis->stride + 1;
                count = (count < axis->in ? count : axis->in) - first;
                if (count <= 0) {
                    continue;
                }
                sum *const target = sums + (first * axis->stride + shift);
                int64_t x = x_first + x_offset * axis->in + first;
                int64_t w = w_first + w_offset * axis->kernel + tap;
                for (int64_t c = 0; c < channels; c++, x += problem->in_size, w += w_step) {
                    const sum weight = DIRECT_LOAD(problem->w, w);
                    if (axis->stride == 1) {
                        for (int64_t i = 0; i < count; i++) {
                            target[i] += DIRECT_LOAD(problem->x, x + i) * weight;
                        }
                    } else {
                        for (int64_t i = 0; i < count; i++) {
                            target[i * axis->stride] += DIRECT_LOAD(problem->x, x + i) * weight;
                        }
                    }
                }
            }
            int32_t a = outer;
            while (a-- > 0 && ++taps[a] == problem->axes[a].kernel) {
                taps[a] = 0;
            }
            if (a < 0) {
                break;
            }
        }
        for (int64_t i = 0; i < end - start; i++) {
            DIRECT_STORE(problem->y, y_row + start + i, sums[i] + bias);
        }
    }
}

#undef DIRECT_SUM
#undef DIRECT_LOAD
#undef DIRECT_STORE
#undef DIRECT_ROW
