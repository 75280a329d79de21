/* Again and again the best score that is left; its box is compared with all selected before. */
#include <math.h>
#include <stdlib.h>

#include "reference.h"
#include "values.h"

typedef struct box {
    float low[2], high[2];
} box;

/* One operation, rounded to float. */
static float single(double value) { return (float)value; }

static box box_at(const opmill_tensor *boxes, int64_t at, bool centered) {
    box corners;
    for (int axis = 0; axis < 2; axis++) {
        const double a = get_real(boxes->data, boxes->type, at * 4 + axis);
        const double b = get_real(boxes->data, boxes->type, at * 4 + axis + 2);
        const double half = (double)single(b / 2);
        corners.low[axis] = single(centered ? a - half : a < b ? a : b);
        corners.high[axis] = single(centered ? a + half : a < b ? b : a);
    }
    return corners;
}

/* 0 where there is none, or no number. */
static double area_of(const box *of) {
    const float height = single((double)of->high[0] - (double)of->low[0]);
    const float width = single((double)of->high[1] - (double)of->low[1]);
    const float area = single((double)height * (double)width);
    return height > 0 && width > 0 && area > 0 && isfinite(area) ? (double)area : 0;
}

static bool overlaps(const box *a, const box *b, double threshold) {
    box common;
    for (int axis = 0; axis < 2; axis++) {
        common.low[axis] = a->low[axis] > b->low[axis] ? a->low[axis] : b->low[axis];
        common.high[axis] = a->high[axis] < b->high[axis] ? a->high[axis] : b->high[axis];
    }
    const double area_a = area_of(a), area_b = area_of(b), shared = area_of(&common);
    if (area_a == 0 || area_b == 0 || shared == 0) {
        return false;
    }
    const float united = single((double)single(area_a + area_b) - shared);
    return (double)single(shared / (double)united) > threshold;
}

/* Whether score a comes before score b. */
static bool is_before(double a, int64_t at_a, double b, int64_t at_b) {
    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b) ? at_a < at_b : isnan(b);
    }
    return a > b || (a == b && at_a < at_b);
}

void reference_non_max_suppression(const opmill_operator *operator,
                                   const opmill_tensor *const *inputs, int32_t input_count,
                                   const void *attributes, const opmill_tensor *const *outputs,
                                   int32_t output_count) {
    const opmill_tensor *const boxes = inputs[0], *const scores = inputs[1];
    const opmill_tensor *const limit = input_count > 2 ? inputs[2] : NULL;
    const opmill_tensor *const overlap = input_count > 3 ? inputs[3] : NULL;
    const opmill_tensor *const lowest = input_count > 4 ? inputs[4] : NULL;
    const bool centered = int_of(operator, attributes, "center_point_box", 0) == 1;
    const int64_t max_picks = limit == NULL ? 0 : *(const int64_t *)limit->data;
    const double threshold = overlap == NULL ? 0 : get_real(overlap->data, overlap->type, 0);
    const int64_t classes = scores->dims[1], count = scores->dims[2];
    int64_t *to = outputs[0]->data;
    (void)output_count;
    if (max_picks <= 0 || count_of(scores->dims, 3) == 0) {
        return;
    }
    bool *const done = calloc((size_t)count, sizeof *done);
    int64_t *const taken = calloc((size_t)count, sizeof *taken);
    if (done == NULL || taken == NULL) {
        abort();
    }
    for (int64_t row = 0; row < scores->dims[0] * classes; row++) {
        int64_t found = 0;
        for (int64_t i = 0; i < count; i++) {
            const double score = get_real(scores->data, scores->type, row * count + i);
            done[i] = lowest != NULL && !(score >= get_real(lowest->data, lowest->type, 0));
        }
        for (int64_t round = 0; round < count; round++) {
            int64_t best = -1;
            for (int64_t i = 0; i < count; i++) {
                const double score = get_real(scores->data, scores->type, row * count + i);
                if (!done[i] &&
                    (best < 0 ||
                     is_before(score, i, get_real(scores->data, scores->type, row * count + best),
                               best))) {
                    best = i;
                }
            }
            if (best < 0) {
                break;
            }
            done[best] = true;
            const box new = box_at(boxes, row / classes * count + best, centered);
            bool clear = found < max_picks;
            for (int64_t k = 0; k < found && clear; k++) {
                const box old = box_at(boxes, row / classes * count + taken[k], centered);
                clear = !overlaps(&new, &old, threshold);
            }
            if (clear) {
                taken[found++] = best;
                *to++ = row / classes;
                *to++ = row % classes;
                *to++ = best;
            }
        }
    }
    free(done);
    free(taken);
}
