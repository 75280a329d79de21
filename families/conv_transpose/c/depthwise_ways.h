/* The tile of the depthwise kernel for larger strides, where taps are not stacked: the sums of all
 * phases of the last axis stay in registers until they are interleaved.
 *
 * depthwise_body.h includes this, once for each type that it is built for.
 */

enum {
    /* Sums that are held at once, and from which stride on that pays. Measured. */
    NAME(depthwise_sums) = VECTOR_REGISTERS == 32 ? 16 : 8,
    NAME(depthwise_min_stride) = VECTOR_REGISTERS == 32 ? 3 : 6
};

/* A vector of steps of `rows` rows, for a stride of up to `ways`, a power of two. */
OPMILL_INLINE void NAME(depthwise_by_ways)(const int ways, const int rows,
                                           const NAME(depthwise_rows) *call, int64_t row,
                                           int64_t step) {
    const depthwise_layout *const layout = call->layout;
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t stride = problem->axes[problem->axis_count - 1].stride;
    const int64_t phases = layout->box.axes[layout->box.axis_count - 1].phases;
    const int64_t *const offsets = layout->stacks.x;
    const REAL *const x = call->x + row * call->x_row + step;
    VECTOR sums[16];
    UNROLLED for (int p = 0; p < ways; p++) {
        UNROLLED for (int r = 0; r < rows; r++) {
            sums[r * ways + p] = OP(repeat)(call->bias);
        }
        const int64_t end = p < phases ? call->first_stack[p + 1] : 0;
        for (int64_t t = p < phases ? call->first_stack[p] : 0; t < end; t++) {
            const VECTOR weight = OP(repeat)(call->weights[t]);
            UNROLLED for (int r = 0; r < rows; r++) {
                const VECTOR in = OP(load)(x + offsets[t] + r * call->x_row);
                sums[r * ways + p] = OP(fma)(in, weight, sums[r * ways + p]);
            }
        }
    }
    const int64_t count =
        opmill_min(call->y_count - step * stride, stride * (int64_t)LANES);
    UNROLLED for (int r = 0; r < rows; r++) {
        const int64_t y = call->y + (row + r) * call->y_row + step * stride;
#if HAS_HALF_TYPES
        if (problem->type != OPMILL_FLOAT) {
            REAL line[16 * LANES];
            NAME(store_zipped)(ways, (char *)line, sums + r * ways, stride, count);
            NAME(narrow)(problem->y, y, line, count, 0, problem->type);
            continue;
        }
#endif
        NAME(store_zipped)
        (ways, (char *)problem->y + y * (int64_t)sizeof(REAL), sums + r * ways, stride, count);
    }
}

/* A vector of steps of all rows: as many at once as have registers, then one by one. */
OPMILL_INLINE void
NAME(depthwise_step)(const int ways, const NAME(depthwise_rows) *call, int64_t step) {
    const int rows = ways < NAME(depthwise_sums) ? NAME(depthwise_sums) / ways : 1;
    int64_t row = 0;
    for (; row + rows <= call->rows; row += rows) {
        NAME(depthwise_by_ways)(ways, rows, call, row, step);
    }
    for (; row < call->rows; row++) {
        NAME(depthwise_by_ways)(ways, 1, call, row, step);
    }
}

static void NAME(depthwise_steps)(const NAME(depthwise_rows) *call, int64_t stride) {
    for (int64_t step = 0; step < call->steps; step += LANES) {
        if (stride <= 4) {
            NAME(depthwise_step)(4, call, step);
        } else if (stride <= 8) {
            NAME(depthwise_step)(8, call, step);
        } else {
            NAME(depthwise_step)(16, call, step);
        }
    }
}

/* All rows. One that is alone is cut into rows of a vector of steps, which follow each other. */
static void NAME(depthwise_all_ways)(const NAME(depthwise_rows) *call, int64_t stride) {
    NAME(depthwise_rows) rows = *call;
    if (call->rows == 1) {
        rows.steps = LANES;
        rows.x_row = LANES;
        rows.y_row = LANES * stride;
        rows.y_count = rows.y_row;
        rows.rows = call->y_count / rows.y_count;
        NAME(depthwise_steps)(&rows, stride);
        rows.x += rows.rows * rows.x_row;
        rows.y += rows.rows * rows.y_row;
        rows.y_count = call->y_count - rows.rows * rows.y_row;
        rows.steps = call->steps - rows.rows * LANES;
        rows.rows = 1;
    }
    NAME(depthwise_steps)(&rows, stride);
}

/* True if a row that is alone is for this tile. It gains with more registers, as long as it has few
 * taps for the outputs that are interleaved, and those are neither squeezed nor rounded. Measured. */
static bool NAME(depthwise_is_lone_way)(const depthwise_layout *layout, int64_t stride) {
    const bool squeezes = stride * 2 <= LANES && (stride & (stride - 1)) != 0;
    return VECTOR_REGISTERS == 32 && !squeezes &&
           layout->taps.count <= stride / 2 * layout->taps.phases &&
           opmill_type_bytes(layout->problem->type) == (int64_t)sizeof(REAL);
}

static bool NAME(depthwise_has_ways)(const NAME(depthwise_rows) *call, int64_t stride) {
    return stride >= NAME(depthwise_min_stride) && !call->layout->stacks.tall &&
           (call->rows > 1 || NAME(depthwise_is_lone_way)(call->layout, stride));
}
