/* The loops of the phases kernel around its tile; part of phases_body.h. */

/* One combination of outer phases and outer steps: rows whose steps follow each other. */
typedef struct NAME(rows_call) {
    const phases_layout *layout;
    const REAL *x;            /* the box, at the first step of the first row */
    const REAL *packed;       /* the weights of the tile */
    const int64_t *first_tap; /* of the first phase of the last axis, and of those after it */
    const REAL *bias;
    REAL *sums;
    int64_t map; /* of all groups */
    int64_t maps;
    int64_t rows;
    int64_t steps;   /* of a row */
    int64_t x_first; /* the first of them */
    int64_t y;       /* index of the first row's begin, for the first map */
    int64_t y_row;   /* from a row to the next */
    int64_t item;
    int64_t row_stride; /* of the coordinate on the axis of the rows */
    int64_t *row;       /* coordinates of the first row, the batch first */
} NAME(rows_call);

/* Outputs of a row from `y` on, for all maps of the tile; `ways` is the stride, a constant. */
OPMILL_INLINE void NAME(store_maps)(const int ways, const NAME(rows_call) *call, int64_t y,
                                    const REAL *sums, int64_t count) {
    const conv_transpose_problem *const problem = call->layout->problem;
    const int64_t pitch = NAME(pitch)(call->maps);
    char *to = (char *)problem->y + y * (int64_t)sizeof(REAL);
    for (int64_t m = 0; m < call->maps; m++) {
        NAME(interleave_by)(ways, to, sums, PHASES_MAX_TILE * LANES, ways, count);
        sums += pitch;
        to += problem->out_size * (int64_t)sizeof(REAL);
    }
}

/* Steps [from, to) of a row, for all maps of the tile; `lane` is where the first one is. */
static void NAME(store_steps)(const NAME(rows_call) *call, int64_t row, int64_t from, int64_t to,
                              int64_t lane, bool nan) {
    const conv_transpose_problem *const problem = call->layout->problem;
    const int32_t outer = call->layout->box.axis_count - 1;
    const conv_transpose_axis *const last = &call->layout->box.axes[outer].shape;
    const int64_t start = (call->x_first + from) * last->stride;
    int64_t end = last->out;
    if (end - start > (to - from) * last->stride) {
        end = start + (to - from) * last->stride;
    }
    const REAL *sums = call->sums + lane;
    int64_t y = call->y + row * call->y_row + start;
    if (last->stride <= 2 && !nan && opmill_type_bytes(problem->type) == (int64_t)sizeof(REAL)) {
        /* Nothing to choose for each map: rows of small images are as short as that takes. */
        if (last->stride == 1) {
            NAME(store_maps)(1, call, y, sums, end - start);
        } else {
            NAME(store_maps)(2, call, y, sums, end - start);
        }
        return;
    }
    for (int64_t m = 0; m < call->maps; m++) {
        if (nan && NAME(has_nan)(sums, last->stride, end - start)) {
            int64_t at[BOX_MAX_AXES];
            memcpy(at, call->row, (size_t)outer * sizeof *at);
            at[outer - 1] += row * call->row_stride;
            opmill_conv_transpose_direct_row(problem, at[0], call->map + m, at + 1, start, end);
        } else {
            NAME(store_run)(problem, y, sums, PHASES_MAX_TILE * LANES, last->stride, end - start);
        }
        sums += NAME(pitch)(call->maps);
        y += problem->out_size;
    }
}

/* A tile for all phases of the last axis, one after another, and some channels at a time. Returns
 * whether there is a NaN. */
static bool NAME(phases)(const NAME(rows_call) *call, NAME(tile_function) *tile, const REAL *x) {
    static const REAL ZEROS[PHASES_MAX_MAPS] = {0};
    const phases_layout *const layout = call->layout;
    const int64_t channels = layout->problem->channels;
    const int64_t phases = layout->box.axes[layout->box.axis_count - 1].phases;
    const int64_t block = layout->channels;
    bool nan = false;
    for (int64_t c = 0; c < channels; c += block) {
        const bool is_last = channels - c <= block;
        const int64_t taken = is_last ? channels - c : block;
        for (int64_t p = 0; p < phases; p++) {
            const int64_t first = call->first_tap[p];
            const int64_t taps = call->first_tap[p + 1] - first;
            const bool found =
                tile(call->sums + p * (PHASES_MAX_TILE * LANES), x + c * layout->box.plane,
                     layout->box.plane, call->packed + (first * channels + c * taps) * call->maps,
                     taken, layout->taps.x + first, taps, is_last ? call->bias : ZEROS, c > 0);
            nan = nan || (found && is_last);
        }
    }
    return nan;
}

static void NAME(rows)(const NAME(rows_call) *call) {
    const phases_layout *const layout = call->layout;
    const int64_t pitch = layout->box.axes[layout->box.axis_count - 2].box_stride;
    const int64_t total = (call->rows - 1) * pitch + call->steps;
    int64_t row = 0;
    int64_t column = 0; /* may be beyond the steps, between two rows */
    for (int64_t lane = 0; lane < total;) {
        const int64_t left = (total - lane + LANES - 1) / LANES;
        const REAL *const x = call->x + lane;
        int64_t vectors;
        NAME(tile_function) *const tile = NAME(choose)(call->maps, left, &vectors);
        const bool nan = NAME(phases)(call, tile, x);
        for (int64_t done = 0; done < vectors * LANES && row < call->rows;) {
            const int64_t rest = vectors * LANES - done;
            const int64_t to = opmill_min(column + rest, call->steps);
            if (column < to) {
                NAME(store_steps)(call, row, column, to, done, nan);
            }
            if (column + rest < pitch) {
                column += rest;
                break;
            }
            done += pitch - column;
            column = 0;
            row++;
        }
        lane += vectors * LANES;
    }
}

static void NAME(phases_compute)(const phases_layout *layout, const box_part *box, int64_t group,
                                 int64_t map, int64_t count, const void *data, const void *packed) {
    const conv_transpose_problem *const problem = layout->problem;
    const int32_t outer = layout->box.axis_count - 1;
    const box_axis *const last = &layout->box.axes[outer];
    /* Whole vectors are read from a row's end on. */
    REAL sums[PHASES_MAX_LAST * PHASES_MAX_TILE * LANES + LANES];
    REAL bias[PHASES_MAX_MAPS] = {0};
    int64_t row[BOX_MAX_AXES];
    int64_t phase[BOX_MAX_AXES] = {0};
    int64_t steps[BOX_MAX_AXES];
    int64_t at[BOX_MAX_AXES] = {0};
    NAME(rows_call) call;
    call.layout = layout;
    call.packed = packed;
    call.bias = bias;
    call.sums = sums;
    call.map = group * problem->maps + map;
    call.maps = count;
    call.steps = box->count[outer];
    call.x_first = box->first[outer];
    call.row = row;
    call.row_stride = layout->box.axes[outer - 1].shape.stride;
    call.y_row = call.row_stride * layout->box.axes[outer - 1].y_stride;
    call.first_tap = layout->taps.first;
    for (int64_t m = 0; problem->bias && m < count; m++) {
        bias[m] = NAME(element)(problem->bias, call.map + m, problem->type);
    }

    int32_t a;
    do {
        /* All combinations of phases on the outer axes; some may have no steps in this box. */
        bool empty = false;
        for (a = 0; a < outer; a++) {
            const conv_transpose_axis *const shape = &layout->box.axes[a].shape;
            const int64_t all = (shape->out - phase[a] + shape->stride - 1) / shape->stride;
            steps[a] = opmill_min(box->count[a], all - box->first[a]);
            empty = empty || steps[a] <= 0;
        }
        call.rows = steps[outer - 1];
        while (!empty) {
            call.x = data;
            call.y = call.map * problem->out_size;
            for (a = 0; a < outer; a++) {
                const box_axis *const axis = &layout->box.axes[a];
                row[a] = (box->first[a] + at[a]) * axis->shape.stride + phase[a];
                call.x += at[a] * axis->box_stride;
                call.y += row[a] * axis->y_stride;
            }
            NAME(rows)(&call);
            for (a = outer - 1; a-- > 0 && ++at[a] == steps[a];) {
                at[a] = 0;
            }
            empty = a < 0;
        }
        call.first_tap += last->phases;
        for (a = outer; a-- > 0 && ++phase[a] == layout->box.axes[a].phases;) {
            phase[a] = 0;
        }
    } while (a >= 0);
}
