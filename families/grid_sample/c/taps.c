/* Computes the elements around a coordinate and their weights (nearest, linear, cubic), with
 * padding by zeros, border or reflection. */
#include "families/grid_sample/taps.h"

#include <math.h>

static double within(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* After how many elements a reflected axis repeats itself. */
static int64_t period_of(const sample_filter *filter, int64_t size) {
    return filter->align_corners ? 2 * (size - 1) : 2 * size;
}

/* The position among the elements, moved near the axis: beyond two elements from it, all taps are
 * outside. Whether it is a number that can be reflected is the result. */
static bool locate(const sample_filter *filter, int64_t size, double coordinate, double *position) {
    const double low = -3, high = (double)size + 2;
    double x = opmill_sample_position(filter->align_corners, size, coordinate);
    x = filter->taps == 1 ? rint(x) : x;
    if (filter->padding == SAMPLE_REFLECTION) {
        const double period = (double)period_of(filter, size);
        if (!isfinite(x) || period == 0) {
            return false;
        }
        *position = x < low || x > high ? fmod(x, period) : x;
        return true;
    }
    if (isnan(x)) { /* infinity times 0 */
        x = filter->padding == SAMPLE_ZEROS ? low : 0;
    }
    *position = within(x, low, high);
    return true;
}

/* The element that takes the place of one outside; -1 for none. */
static int64_t inside(const sample_filter *filter, int64_t size, int64_t i) {
    if (i >= 0 && i < size) {
        return i;
    }
    if (filter->padding == SAMPLE_ZEROS) {
        return -1;
    }
    if (filter->padding == SAMPLE_BORDER) {
        return i < 0 ? 0 : size - 1;
    }
    const int64_t period = period_of(filter, size);
    const int64_t rest = i % period + (i % period < 0 ? period : 0);
    return rest < size ? rest : period - rest - (filter->align_corners ? 0 : 1);
}

static void find_weights(int32_t taps, double t, double *weights) {
    const double a = -0.75;
    if (taps == 1) {
        weights[0] = 1;
    } else if (taps == 2) {
        weights[0] = 1 - t;
        weights[1] = t;
    } else {
        const double before = t + 1, next = 1 - t, after = 2 - t;
        weights[0] = ((a * before - 5 * a) * before + 8 * a) * before - 4 * a;
        weights[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
        weights[2] = ((a + 2) * next - (a + 3)) * next * next + 1;
        weights[3] = ((a * after - 5 * a) * after + 8 * a) * after - 4 * a;
    }
}

sample_taps opmill_sample_axis_taps(const sample_filter *filter, const sample_axis *axis,
                                    double coordinate) {
    sample_taps found = {{0}, {0}};
    double weights[SAMPLE_MAX_TAPS], x = 0;
    int32_t used = 0;
    if (!locate(filter, axis->size, coordinate, &x)) {
        found.weights[0] = 1;
        return found;
    }
    const double low = floor(x);
    const int64_t first = (int64_t)low - (filter->taps == 4 ? 1 : 0);
    find_weights(filter->taps, x - low, weights);
    for (int32_t k = 0; k < filter->taps; k++) {
        const int64_t at = inside(filter, axis->size, first + k);
        int32_t slot = 0;
        if (at < 0 || weights[k] == 0) {
            continue;
        }
        while (slot < used && found.at[slot] != at) {
            slot++;
        }
        used += slot == used;
        found.at[slot] = at;
        found.weights[slot] += weights[k];
    }
    return found;
}
