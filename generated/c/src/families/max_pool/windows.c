/* Searches the windows of rows in groups of 64, with windows_body.h instantiated for each type, and
 * stores the maxima and their indices. */
#include "windows.h"

#include <math.h>
#include <string.h>

#include "runtime/numbers/half.h"

/* So many windows of a row are searched together: for each, its best element so far is kept. */
enum { TOGETHER = 64 };

/* Windows side by side. */
typedef struct group {
    int64_t count;
    opmill_taps taps[TOGETHER]; /* along the last axis */
    int64_t dilation;           /* there */
    int64_t best[TOGETHER];     /* the position in X; -1 before an element is found */
} group;

/* Searches a row of X, whose first element is number `row`, for better elements. */
typedef void search_function(const void *x, int64_t row, group *windows);

#define ELEMENT float
#define VALUE float
#define VALUE_OF(element) (element)
#define IS_NAN(value) ((value) != (value))
#define SEARCH search_float
#include "windows_body.h"

#define ELEMENT double
#define VALUE double
#define VALUE_OF(element) (element)
#define IS_NAN(value) ((value) != (value))
#define SEARCH search_double
#include "windows_body.h"

#define ELEMENT uint16_t
#define VALUE float
#define VALUE_OF(element) opmill_float16_to_float(element)
#define IS_NAN(value) ((value) != (value))
#define SEARCH search_float16
#include "windows_body.h"

#define ELEMENT uint16_t
#define VALUE float
#define VALUE_OF(element) opmill_bfloat16_to_float(element)
#define IS_NAN(value) ((value) != (value))
#define SEARCH search_bfloat16
#include "windows_body.h"

#define ELEMENT int8_t
#define VALUE int8_t
#define VALUE_OF(element) (element)
#define IS_NAN(value) false
#define SEARCH search_int8
#include "windows_body.h"

#define ELEMENT uint8_t
#define VALUE uint8_t
#define VALUE_OF(element) (element)
#define IS_NAN(value) false
#define SEARCH search_uint8
#include "windows_body.h"

/* What depends on the type: how a row is searched, and the lowest value. */
typedef struct element_kind {
    search_function *search;
    size_t bytes;
    union {
        float of_float;
        double of_double;
        uint16_t of_half;
        int8_t of_int8;
        uint8_t of_uint8;
    } lowest;
} element_kind;

static element_kind kind_of(int32_t type) {
    switch (type) {
    case OPMILL_DOUBLE:
        return (element_kind){search_double, 8, {.of_double = -(double)INFINITY}};
    case OPMILL_FLOAT16:
        return (element_kind){search_float16, 2, {.of_half = 0xfc00}};
    case OPMILL_BFLOAT16:
        return (element_kind){search_bfloat16, 2, {.of_half = 0xff80}};
    case OPMILL_INT8:
        return (element_kind){search_int8, 1, {.of_int8 = INT8_MIN}};
    case OPMILL_UINT8:
        return (element_kind){search_uint8, 1, {.of_uint8 = 0}};
    default:
        return (element_kind){search_float, 4, {.of_float = -INFINITY}};
    }
}

/* Searches all rows that the windows have elements in; outer[] are the taps along the axes before
 * the last one. */
static void search_rows(const max_pool_problem *problem, int64_t plane, const opmill_taps *outer,
                        search_function *search, group *windows) {
    const int32_t last = problem->axis_count - 1;
    int64_t tap[OPMILL_MAX_WINDOW_AXES] = {0};
    for (int32_t i = 0; i < last; i++) {
        if (outer[i].count == 0) {
            return;
        }
    }
    for (;;) {
        int64_t row = plane;
        for (int32_t i = 0; i < last; i++) {
            const opmill_window_axis *const axis = &problem->axes[i];
            row = row * axis->in + outer[i].first + tap[i] * axis->dilation;
        }
        search(problem->x, row * problem->axes[last].in, windows);
        int32_t i = last - 1;
        while (i >= 0 && ++tap[i] == outer[i].count) {
            tap[i--] = 0;
        }
        if (i < 0) {
            return;
        }
    }
}

/* The position of an element where the first spatial axis counts fastest, channel by channel. */
static int64_t column_major(const max_pool_problem *problem, int64_t position) {
    const int64_t plane = position / problem->in_size;
    int64_t rest = position % problem->in_size;
    int64_t below = problem->in_size;
    int64_t number = 0;
    for (int32_t i = problem->axis_count - 1; i >= 0; i--) {
        const int64_t in = problem->axes[i].in;
        below /= in;
        number += rest % in * below;
        rest /= in;
    }
    return plane * problem->in_size + number;
}

static void store(const max_pool_problem *problem, const element_kind *kind, const group *windows,
                  int64_t output) {
    for (int64_t k = 0; k < windows->count; k++) {
        const int64_t best = windows->best[k];
        const void *const from =
            best < 0 ? (const void *)&kind->lowest
                     : (const void *)((const char *)problem->x + (size_t)best * kind->bytes);
        memcpy((char *)problem->y + (size_t)(output + k) * kind->bytes, from, kind->bytes);
        if (problem->indices != NULL) {
            problem->indices[output + k] =
                best >= 0 && problem->column_major ? column_major(problem, best) : best;
        }
    }
}

void opmill_max_pool_windows(const max_pool_problem *problem, int64_t from, int64_t to) {
    const element_kind kind = kind_of(problem->type);
    const opmill_window_axis *const last = &problem->axes[problem->axis_count - 1];
    opmill_taps outer[OPMILL_MAX_WINDOW_AXES];
    group windows;
    windows.dilation = last->dilation;
    while (from < to) {
        const int64_t first = from % last->out;
        const int64_t plane = from / problem->out_size;
        int64_t rest = from % problem->out_size / last->out;
        for (int32_t i = problem->axis_count - 2; i >= 0; i--) {
            outer[i] = opmill_taps_of(&problem->axes[i], rest % problem->axes[i].out);
            rest /= problem->axes[i].out;
        }
        windows.count = opmill_min(opmill_min(last->out - first, to - from), TOGETHER);
        for (int64_t k = 0; k < windows.count; k++) {
            windows.taps[k] = opmill_taps_of(last, first + k);
            windows.best[k] = -1;
        }
        if (problem->in_size > 0) {
            search_rows(problem, plane, outer, kind.search, &windows);
        }
        store(problem, &kind, &windows, from);
        from += windows.count;
    }
}
