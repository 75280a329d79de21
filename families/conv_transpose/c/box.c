/* Lays out boxes: computes steps, phases and taps of each axis, cuts the axes into ranges that fit
 * a budget of memory, and lists the taps of each phase with their offsets. */
#include "box.h"

/* What is left to the direct kernel, as there would be too many phases or taps to go through. */
static const int64_t MAX_STRIDE = 1 << 20;
static const int64_t MAX_KERNEL = 1 << 16;
enum { MAX_TAPS = 4096, MAX_PHASES = 4096 };

/* A vector of zeros, or of the last steps, may reach beyond the last row of a plane. */
enum { SLACK_BYTES = 64 };

/* True if a tap meets an input. */
static bool meets_input(const box_axis *axis, const box_position *tap) {
    const int64_t steps = axis->steps - (tap->phase > axis->last_phase);
    return tap->phase < axis->phases && tap->offset < axis->shape.in && tap->offset > -steps;
}

/* Goes on to the next tap. Nothing is divided, as small calls would notice. */
static void next_tap(const box_axis *axis, box_position *tap) {
    tap->offset += axis->next_tap.offset;
    tap->phase += axis->next_tap.phase;
    if (tap->phase >= axis->shape.stride) {
        tap->phase -= axis->shape.stride;
        tap->offset--;
    }
}

static void set_axis(box_axis *axis, const conv_transpose_axis *shape, int64_t x_stride,
                     int64_t y_stride) {
    axis->shape = *shape;
    axis->x_stride = x_stride;
    axis->y_stride = y_stride;
    axis->phases = opmill_min(shape->stride, shape->out);
    axis->steps = (shape->out - 1) / shape->stride + 1;
    axis->last_phase = shape->out - 1 - (axis->steps - 1) * shape->stride;
    const int64_t before = opmill_quotient(-shape->begin, shape->stride);
    const int64_t jump = shape->dilation / shape->stride;
    axis->first_tap = (box_position){-before, -shape->begin - before * shape->stride};
    axis->next_tap = (box_position){-jump, shape->dilation - jump * shape->stride};
    axis->low = INT64_MAX;
    axis->high = INT64_MIN;
    axis->taps = 0;
    box_position tap = axis->first_tap;
    for (int64_t t = 0; t < shape->kernel; t++) {
        if (t > 0) { /* not beyond the last one, whose offset is the last that surely fits */
            next_tap(axis, &tap);
        }
        if (meets_input(axis, &tap)) {
            axis->low = opmill_min(axis->low, tap.offset);
            axis->high = opmill_max(axis->high, tap.offset);
            axis->taps++;
        }
    }
    if (axis->low > axis->high) {
        axis->low = axis->high = 0;
    }
}

bool opmill_conv_transpose_box_axes(box_layout *layout, const conv_transpose_problem *problem,
                                    const conv_transpose_functions *functions) {
    const int64_t planes_in = problem->groups * problem->channels;
    const int64_t planes_out = problem->groups * problem->maps;
    const conv_transpose_axis batch = {problem->batch, 1, problem->batch, 1, 1, 0};
    int64_t x_stride = 1;
    int64_t y_stride = 1;
    layout->problem = problem;
    layout->functions = functions;
    layout->axis_count = problem->axis_count + 1;
    for (int32_t a = 0; a < problem->axis_count; a++) {
        if (problem->axes[a].stride > MAX_STRIDE || problem->axes[a].kernel > MAX_KERNEL) {
            return false;
        }
    }
    for (int32_t a = layout->axis_count - 1; a > 0; a--) {
        const conv_transpose_axis *const shape = &problem->axes[a - 1];
        set_axis(&layout->axes[a], shape, x_stride, y_stride);
        x_stride *= shape->in;
        y_stride *= shape->out;
    }
    set_axis(&layout->axes[0], &batch, planes_in * problem->in_size,
             planes_out * problem->out_size);
    return true;
}

/* Elements of a box beyond all budgets: with many axes they could go beyond int64 too. */
static const int64_t MAX_BOX = INT64_C(1) << 48;

/* Sets the strides of a box by its ranges, and returns the bytes of its channels. */
static int64_t set_box(box_layout *layout) {
    box_axis *const last = &layout->axes[layout->axis_count - 1];
    const int64_t halo = last->high - last->low;
    int64_t pitch = last->range + halo;
    int64_t lead = 0;
    if (last->range == last->steps) {
        /* The zeros before a row are those behind the row above. */
        const int64_t start = opmill_max(last->low, 0);
        const int64_t end = opmill_min(last->shape.in, last->steps + last->high);
        const int64_t count = opmill_max(end - start, 0);
        lead = count > 0 ? start - last->low : 0;
        pitch = count + opmill_max(lead, pitch - count - lead);
        pitch = opmill_max(pitch, last->range);
    } else {
        lead = halo;
    }
    int64_t size = pitch;
    last->box_stride = 1;
    for (int32_t a = layout->axis_count - 1; a-- > 0;) {
        box_axis *const axis = &layout->axes[a];
        const int64_t extent = axis->range + axis->high - axis->low;
        if (size > MAX_BOX / extent) {
            return INT64_MAX;
        }
        axis->box_stride = size;
        size *= extent;
    }
    if (size > MAX_BOX / layout->problem->channels) {
        return INT64_MAX;
    }
    /* An odd number of cache lines spreads the channels over the sets of a cache. */
    const int64_t line = BOX_CACHE_LINE / layout->functions->element_bytes;
    const int64_t slack = SLACK_BYTES / layout->functions->element_bytes;
    layout->plane = ((size + lead + slack + line - 1) / line | 1) * line;
    return layout->plane * layout->functions->element_bytes * layout->problem->channels +
           SLACK_BYTES;
}

/* The outer axes are cut into single steps, one axis into ranges, and the inner ones not at all. */
bool opmill_conv_transpose_box_ranges(box_layout *layout, int64_t budget, int64_t wanted) {
    for (int32_t cut = 0; cut < layout->axis_count; cut++) {
        box_axis *const axis = &layout->axes[cut];
        int64_t outer = 1;
        for (int32_t a = 0; a < layout->axis_count; a++) {
            layout->axes[a].range = a < cut ? 1 : layout->axes[a].steps;
            outer *= a < cut ? layout->axes[a].steps : 1;
        }
        const int64_t pieces = opmill_min((wanted + outer - 1) / outer, axis->steps);
        int64_t low = 1;
        int64_t high = (axis->steps + pieces - 1) / pieces;
        axis->range = high;
        if (set_box(layout) > budget) {
            axis->range = low;
            if (set_box(layout) > budget) {
                continue;
            }
            while (low + 1 < high) {
                axis->range = (low + high) / 2;
                if (set_box(layout) > budget) {
                    high = axis->range;
                } else {
                    low = axis->range;
                }
            }
            high = low;
        } else if (pieces < wanted && cut + 1 < layout->axis_count && axis->steps == pieces) {
            /* Single steps are still too few boxes: cut the next axis too. */
            continue;
        }
        /* Ranges as even as they can be. */
        const int64_t boxes = (axis->steps + high - 1) / high;
        axis->range = (axis->steps + boxes - 1) / boxes;
        layout->bytes = (size_t)set_box(layout);
        layout->count = 1;
        for (int32_t a = 0; a < layout->axis_count; a++) {
            box_axis *const each = &layout->axes[a];
            each->boxes = (each->steps + each->range - 1) / each->range;
            layout->count *= each->boxes;
        }
        return true;
    }
    return false;
}

bool opmill_conv_transpose_box_count(const box_layout *layout, box_taps *taps, int32_t end) {
    int64_t kernel = 1;
    taps->phases = 1;
    taps->count = 1;
    for (int32_t a = 1; a < end; a++) {
        kernel *= layout->axes[a].shape.kernel;
        taps->phases *= layout->axes[a].phases;
        taps->count *= layout->axes[a].taps;
        if (kernel > MAX_TAPS || taps->phases > MAX_PHASES) {
            return false;
        }
    }
    taps->bytes = (size_t)(taps->phases + 2 + 2 * taps->count) * sizeof(int64_t);
    return taps->count > 0;
}

/* For each tap that meets an input, in order: counts it for its phase, or enters it. After the
 * counts, first[p + 1] is where phase p begins; after the entries, where it ends. */
static void visit_taps(const box_layout *layout, box_taps *taps, int32_t end, bool enter) {
    int64_t at[BOX_MAX_AXES] = {0};
    box_position tap[BOX_MAX_AXES];
    int64_t w = 0;
    int32_t a;
    for (a = 1; a < end; a++) {
        tap[a] = layout->axes[a].first_tap;
    }
    do {
        int64_t phase = 0;
        int64_t x = 0;
        bool meets = true;
        for (a = 1; a < end && meets; a++) {
            const box_axis *const axis = &layout->axes[a];
            meets = meets_input(axis, &tap[a]);
            if (meets) { /* else its offset may be any number */
                phase = phase * axis->phases + tap[a].phase;
                x += (tap[a].offset - axis->low) * axis->box_stride;
            }
        }
        if (meets && enter) {
            const int64_t to = taps->first[phase + 1]++;
            taps->x[to] = x;
            taps->w[to] = w;
        } else if (meets) {
            taps->first[phase + 2]++;
        }
        w++;
        for (a = end - 1; a >= 1 && ++at[a] == layout->axes[a].shape.kernel; a--) {
            at[a] = 0;
            tap[a] = layout->axes[a].first_tap;
        }
        if (a >= 1) {
            next_tap(&layout->axes[a], &tap[a]);
        }
    } while (a >= 1);
}

void opmill_conv_transpose_box_taps(const box_layout *layout, box_taps *taps, int32_t end,
                                    void *memory) {
    taps->first = memory;
    taps->x = taps->first + taps->phases + 2;
    taps->w = taps->x + taps->count;
    for (int64_t p = 0; p < taps->phases + 2; p++) {
        taps->first[p] = 0;
    }
    visit_taps(layout, taps, end, false);
    for (int64_t p = 0; p <= taps->phases; p++) {
        taps->first[p + 1] += taps->first[p];
    }
    visit_taps(layout, taps, end, true);
}

void opmill_conv_transpose_box_find(const box_layout *layout, int64_t index, box_part *part) {
    for (int32_t a = layout->axis_count; a-- > 0;) {
        const box_axis *const axis = &layout->axes[a];
        part->first[a] = index % axis->boxes * axis->range;
        part->count[a] = opmill_min(axis->range, axis->steps - part->first[a]);
        index /= axis->boxes;
    }
}
