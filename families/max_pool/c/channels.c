/* Along all axes but the last one, the rows of an image that a row of windows has are compared
 * whole; then its windows, in the row that this gives. Windows whose row is too long for the stack
 * are compared by themselves. */
#include "channels.h"

#include <string.h>

#include "runtime/platform/platform.h"

enum {
    ROWS = OPMILL_ON_STACK(32, 8),            /* that are compared together */
    BUFFER = OPMILL_ON_STACK(16 * 1024, 128), /* bytes of a row */
    BEHIND = 64                               /* bytes that may be read behind it */
};

/* Rows that are compared element by element, and where their largest elements go. */
typedef struct list {
    const max_pool_functions *functions;
    bool is_signed;
    uint8_t *to;
    int64_t bytes; /* of a row */
    int64_t count;
    const void *rows[ROWS];
} list;

/* In standard C, where no instruction set has a function. */
static void reduce(const list *list) {
    const uint8_t flip = list->is_signed ? 0x80 : 0; /* makes the order that of uint8 */
    for (int64_t c = 0; c < list->bytes; c++) {
        uint8_t largest = 0;
        for (int64_t k = 0; k < list->count; k++) {
            const uint8_t element = ((const uint8_t *)list->rows[k])[c] ^ flip;
            largest = element > largest ? element : largest;
        }
        list->to[c] = largest ^ flip;
    }
}

/* Compares the rows of the list, of which the result becomes the only one. */
static void flush(list *list) {
    if (list->functions == NULL) {
        reduce(list);
    } else {
        list->functions->reduce_channels(list->rows, list->count, list->to, list->bytes);
    }
    list->rows[0] = list->to;
    list->count = 1;
}

static void add(list *list, const uint8_t *row) {
    if (list->count == ROWS) {
        flush(list);
    }
    list->rows[list->count++] = row;
}

/* The taps of window `number` of the first `axes` axes; false where one has none. */
static bool find_taps(const max_pool_problem *problem, int32_t axes, int64_t number,
                      opmill_taps *taps) {
    for (int32_t i = axes - 1; i >= 0; i--) {
        const opmill_window_axis *const axis = &problem->axes[i];
        taps[i] = opmill_taps_of(axis, number % axis->out);
        number /= axis->out;
        if (taps[i].count == 0) {
            return false;
        }
    }
    return true;
}

/* Compares what lies `offset` bytes from the beginning of each row of an image that the taps of all
 * axes but the last one give; and `last` taps of the last axis, `step` bytes apart. */
static void reduce_rows(list *list, const max_pool_problem *problem, const opmill_taps *taps,
                        const uint8_t *image, int64_t offset, int64_t last, int64_t step) {
    const int32_t outer = problem->axis_count - 1;
    const int64_t row_bytes = problem->axes[outer].in * problem->channels;
    int64_t index[OPMILL_MAX_WINDOW_AXES] = {0};
    list->count = 0;
    for (int32_t axis = 0; axis >= 0;) {
        int64_t row = 0;
        for (int32_t i = 0; i < outer; i++) {
            const int64_t tap = taps[i].first + index[i] * problem->axes[i].dilation;
            row = row * problem->axes[i].in + tap;
        }
        for (int64_t k = 0; k < last; k++) {
            add(list, image + row * row_bytes + offset + k * step);
        }
        for (axis = outer - 1; axis >= 0 && ++index[axis] == taps[axis].count; axis--) {
            index[axis] = 0;
        }
    }
    flush(list);
}

/* Windows `from` to `to` - 1 of a row of windows, whose elements are the row `elements`, from the
 * position `low` of the image on. */
static void reduce_columns(const list *list, const max_pool_problem *problem,
                           const uint8_t *elements, int64_t low, int64_t from, int64_t to,
                           uint8_t *out) {
    const opmill_window_axis *const axis = &problem->axes[problem->axis_count - 1];
    const int64_t channels = problem->channels, reach = (axis->kernel - 1) * axis->dilation;
    for (int64_t at = from; at < to;) {
        const int64_t start = at * axis->stride - axis->begin;
        const opmill_taps taps = opmill_taps_of(axis, at);
        int64_t windows = 1;
        if (start >= 0 && start + reach < axis->in) { /* as those behind it, up to the end */
            windows = opmill_min((axis->in - 1 - reach - start) / axis->stride + 1, to - at);
        }
        if (taps.count == 0) {
            memset(out, list->is_signed ? 0x80 : 0, (size_t)channels);
        } else {
            list->functions->reduce_lanes(elements + (taps.first - low) * channels, taps.count,
                                          axis->dilation * channels, windows,
                                          axis->stride * channels, out, channels);
        }
        at += windows;
        out += windows * channels;
    }
}

/* How many windows of a row are compared together: 0 where each is by itself. */
static int64_t columns_together(const max_pool_problem *problem,
                                const max_pool_functions *functions) {
    const opmill_window_axis *const axis = &problem->axes[problem->axis_count - 1];
    if (functions == NULL || !opmill_window_axis_is_moderate(axis)) {
        return 0;
    }
    const int64_t reach = (axis->kernel - 1) * axis->dilation + 1,
                  room = BUFFER / problem->channels;
    if (room < reach || axis->stride > 2 * reach) {
        return 0;
    }
    return (room - reach) / axis->stride + 1;
}

/* A row of windows. */
static void reduce_row(list *list, const max_pool_problem *problem, const uint8_t *image,
                       int64_t number, int64_t together, uint8_t *out) {
    const int32_t outer = problem->axis_count - 1;
    const opmill_window_axis *const axis = &problem->axes[outer];
    const int64_t channels = problem->channels;
    opmill_taps taps[OPMILL_MAX_WINDOW_AXES];
    uint8_t elements[BUFFER + BEHIND];
    if (!find_taps(problem, outer, number, taps)) {
        memset(out, list->is_signed ? 0x80 : 0, (size_t)(axis->out * channels));
        return;
    }
    for (int64_t from = 0; from < axis->out; from += together) {
        const int64_t to = opmill_min(from + together, axis->out);
        const int64_t last = (to - 1) * axis->stride - axis->begin;
        const int64_t low = opmill_max(from * axis->stride - axis->begin, 0);
        const int64_t high = opmill_min(last + (axis->kernel - 1) * axis->dilation + 1, axis->in);
        if (high > low) {
            list->to = elements;
            list->bytes = (high - low) * channels;
            reduce_rows(list, problem, taps, image, low * channels, 1, 0);
            memset(elements + list->bytes, 0, BEHIND);
        }
        reduce_columns(list, problem, elements, low, from, to, out + from * channels);
    }
}

/* A row of windows, each of which is compared by itself. */
static void reduce_windows(list *list, const max_pool_problem *problem, const uint8_t *image,
                           int64_t number, uint8_t *out) {
    const int32_t last = problem->axis_count - 1;
    const opmill_window_axis *const axis = &problem->axes[last];
    opmill_taps taps[OPMILL_MAX_WINDOW_AXES];
    const bool is_padding = !find_taps(problem, last, number, taps);
    list->bytes = problem->channels;
    for (int64_t at = 0; at < axis->out; at++, out += problem->channels) {
        const opmill_taps found = opmill_taps_of(axis, at);
        if (is_padding || found.count == 0) {
            memset(out, list->is_signed ? 0x80 : 0, (size_t)problem->channels);
            continue;
        }
        list->to = out;
        reduce_rows(list, problem, taps, image, found.first * problem->channels, found.count,
                    axis->dilation * problem->channels);
    }
}

void opmill_max_pool_channels(const max_pool_problem *problem, const max_pool_functions *functions,
                              int64_t from, int64_t to) {
    const int64_t columns = problem->axes[problem->axis_count - 1].out;
    const int64_t rows = problem->out_size / columns;
    const int64_t together = columns_together(problem, functions);
    list list = {.functions = functions, .is_signed = problem->type == OPMILL_INT8};
    for (int64_t number = from; number < to; number++) {
        const uint8_t *const image =
            (const uint8_t *)problem->x + number / rows * problem->in_size * problem->channels;
        uint8_t *const out = (uint8_t *)problem->y + number * columns * problem->channels;
        if (together > 0) {
            reduce_row(&list, problem, image, number % rows, together, out);
        } else {
            reduce_windows(&list, problem, image, number % rows, out);
        }
    }
}
