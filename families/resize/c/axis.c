/* Maps the positions of an output axis to input coordinates for each transformation mode, and
 * computes the taps and weights of each position (nearest, linear, cubic, antialiased). */
#include "families/resize/axis.h"

#include <string.h>

#include "runtime/call/rules.h"

/* Every step is rounded to a double by itself, as in the other backend: nearest positions depend on
 * it. The transformations differ in where a position of the output lies in the input. */
typedef enum transformation {
    HALF_PIXEL,
    HALF_PIXEL_SYMMETRIC,
    PYTORCH_HALF_PIXEL,
    ALIGN_CORNERS,
    ASYMMETRIC,
    TF_HALF_PIXEL_FOR_NN,
    TF_CROP_AND_RESIZE
} transformation;

static transformation transformation_of(const opmill_resize_plan *plan) {
    static const char *const names[] = {
        "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
        "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
    for (int32_t i = 0; i < TF_CROP_AND_RESIZE; i++) {
        if (strcmp(plan->transformation, names[i]) == 0) {
            return (transformation)i;
        }
    }
    return TF_CROP_AND_RESIZE;
}

resize_mode opmill_resize_mode(const opmill_resize_plan *plan) {
    return strcmp(plan->mode, "nearest") == 0  ? RESIZE_NEAREST
           : strcmp(plan->mode, "linear") == 0 ? RESIZE_LINEAR
                                               : RESIZE_CUBIC;
}

/* What decides the coordinates of an axis. */
typedef struct mapping {
    transformation kind;
    bool by_sizes;
    double in, out, factor, begin, end;
} mapping;

static mapping mapping_of(const resize_axis *axis, const opmill_resize_plan *plan, int32_t number) {
    const mapping result = {transformation_of(plan),
                            plan->by_sizes,
                            (double)axis->in,
                            (double)axis->out,
                            plan->factors.values[number],
                            plan->begins.values[number],
                            plan->ends.values[number]};
    return result;
}

/* Where the position lies in the input: a ratio of whole numbers where sizes are given, of which
 * only the division rounds. */
static double coordinate(const mapping *map, int64_t position) {
    const double i = (double)position, last = map->in - 1;
    double x, offset;
    switch (map->kind) {
    case ALIGN_CORNERS:
        if (map->out <= 1) {
            return 0;
        }
        x = opmill_product(i, last);
        return x / (map->out - 1);
    case TF_CROP_AND_RESIZE:
        if (map->out <= 1) {
            x = opmill_product(0.5, map->begin + map->end);
            return opmill_product(x, last);
        }
        x = opmill_product(i, map->end - map->begin);
        x = opmill_product(x, last);
        x = x / (map->out - 1);
        return opmill_product(map->begin, last) + x;
    case ASYMMETRIC:
        return map->by_sizes ? opmill_product(i, map->in) / map->out : i / map->factor;
    case PYTORCH_HALF_PIXEL:
        if (map->out <= 1) {
            return 0;
        }
        break;
    default:
        break;
    }
    x = map->by_sizes ? opmill_product(2 * i + 1, map->in) / (2 * map->out)
                      : (i + 0.5) / map->factor;
    if (map->kind == TF_HALF_PIXEL_FOR_NN) {
        return x;
    }
    if (map->kind == HALF_PIXEL_SYMMETRIC && !map->by_sizes) {
        offset = map->out / opmill_product(map->in, map->factor);
        offset = opmill_product(map->in / 2, 1 - offset);
        x = offset + x;
    }
    return x - 0.5;
}

static bool is_inside(const mapping *map, double x) {
    return map->kind != TF_CROP_AND_RESIZE || (x >= 0 && x <= map->in - 1);
}

/* By how much the filter is stretched: 1, or less than 1 where it is longer than a position. */
static double stretch_of(const opmill_resize_plan *plan, double factor) {
    return plan->antialias && factor < 1 ? factor : 1;
}

/* Half the positions under the filter. */
static int64_t reach_of(const opmill_resize_plan *plan, double factor) {
    const double half = opmill_resize_mode(plan) == RESIZE_LINEAR ? 1 : 2;
    return (int64_t)opmill_ceil(half / stretch_of(plan, factor));
}

static int64_t clamped(double position, int64_t in) {
    return position <= 0 ? 0 : position >= (double)(in - 1) ? in - 1 : (int64_t)position;
}

static int64_t nearest(const mapping *map, const char *mode, double x) {
    double position;
    if (strcmp(mode, "round_prefer_floor") == 0) {
        position = opmill_ceil(x - 0.5);
    } else if (strcmp(mode, "round_prefer_ceil") == 0) {
        position = opmill_floor(x + 0.5);
    } else if (strcmp(mode, "ceil") == 0 || (strcmp(mode, "by_scale") == 0 && map->factor < 1)) {
        position = opmill_ceil(x);
    } else {
        position = opmill_floor(x);
    }
    return clamped(position, (int64_t)map->in);
}

/* The first position of the output from which on coordinates are not before the bound, or with
 * `beyond` behind it; `out` where there is none. One that is no number is behind: steps overflow.
 */
static int64_t first_from(const mapping *map, int64_t out, double bound, bool falls, bool beyond) {
    int64_t low = 0, high = out;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const double x = coordinate(map, middle);
        const bool is_before = falls ? x > bound : x < bound;
        if (is_before || (beyond && x == bound)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The positions of the output that are inside. An axis may be longer than any memory where only its
 * sizes are asked for, so they are not tried one by one: coordinates rise, or fall, all along. */
static void find_inside(resize_axis *axis, const mapping *map) {
    const bool falls = map->end < map->begin;
    const double last = map->in - 1;
    if (map->kind != TF_CROP_AND_RESIZE) {
        axis->count = axis->out;
        return;
    }
    const int64_t first = first_from(map, axis->out, falls ? last : 0, falls, false);
    const int64_t end = first_from(map, axis->out, falls ? 0 : last, falls, true);
    if (first < end) {
        axis->first = first;
        axis->count = end - first;
    }
}

/* True if each position of the output is that of the input. */
static bool is_same(const resize_axis *axis, const opmill_resize_plan *plan, const mapping *map) {
    const bool selects = opmill_resize_mode(plan) == RESIZE_NEAREST;
    if (axis->in != axis->out || (!selects && stretch_of(plan, map->factor) < 1)) {
        return false;
    }
    for (int64_t i = 0; i < axis->out; i++) {
        const double x = coordinate(map, i);
        if (selects ? !is_inside(map, x) || nearest(map, plan->nearest_mode, x) != i
                    : x != (double)i) {
            return false;
        }
    }
    return true;
}

void opmill_resize_axis_begin(resize_axis *axis, const opmill_resize_plan *plan, int32_t number,
                              int64_t in, int64_t out) {
    *axis = (resize_axis){in, out, 0, 0, 1, false, NULL, NULL};
    const mapping map = mapping_of(axis, plan, number);
    find_inside(axis, &map);
    axis->same = is_same(axis, plan, &map);
    if (opmill_resize_mode(plan) != RESIZE_NEAREST) {
        const int64_t reach = reach_of(plan, map.factor);
        axis->taps = in / 2 < reach ? (in > 0 ? in : 1) : 2 * reach;
    }
}

/* The weight of a position at a distance from the coordinate. */
static double weight_of(resize_mode mode, double a, double distance) {
    const double d = distance < 0 ? -distance : distance;
    if (mode == RESIZE_LINEAR) {
        return d < 1 ? 1 - d : 0;
    }
    if (d <= 1) {
        return ((a + 2) * d - (a + 3)) * d * d + 1;
    }
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/* The weights of one position. Those of positions outside go to the edge, or are left out. */
static void weigh(const resize_axis *axis, const opmill_resize_plan *plan, double x, double factor,
                  int64_t at, double *weights) {
    const resize_mode mode = opmill_resize_mode(plan);
    const double stretch = stretch_of(plan, factor), floor = opmill_floor(x);
    const int64_t reach = reach_of(plan, factor), low = (int64_t)floor;
    double sum = 0;
    memset(weights, 0, (size_t)axis->taps * sizeof *weights);
    if (x == floor && stretch >= 1) { /* the filter is 0 at all other positions */
        weights[clamped(x, axis->in) - at] = 1;
        return;
    }
    for (int64_t i = low - reach + 1; i <= low + reach; i++) {
        const double weight = weight_of(mode, plan->cubic_a, ((double)i - x) * stretch);
        const bool outside = i < 0 || i >= axis->in;
        if (!(outside && plan->exclude_outside)) {
            weights[clamped((double)i, axis->in) - at] += weight;
            sum += weight;
        }
    }
    if (plan->exclude_outside || stretch < 1) {
        for (int64_t k = 0; k < axis->taps; k++) {
            weights[k] /= sum;
        }
    }
}

void opmill_resize_axis_fill(const resize_axis *axis, const opmill_resize_plan *plan,
                             int32_t number) {
    const mapping map = mapping_of(axis, plan, number);
    for (int64_t i = 0; i < axis->count; i++) {
        const double x = coordinate(&map, axis->first + i);
        if (axis->weights == NULL) {
            axis->at[i] = nearest(&map, plan->nearest_mode, x);
        } else {
            const int64_t reach = reach_of(plan, map.factor);
            const double start = opmill_floor(x) - (double)(reach - 1);
            axis->at[i] = clamped(start, axis->in - axis->taps + 1);
            weigh(axis, plan, x, map.factor, axis->at[i], axis->weights + i * axis->taps);
        }
    }
}
