/* The comparison for one instruction set: overlap.c includes this with SET(name).
 *
 * Every step is rounded to float by itself. Areas are positive numbers and the union is not less
 * than the larger one, so that no quotient is NaN. */

static bool SET(overlaps)(const nms_selected *selected, const nms_box *box, float threshold) {
    const float low_y = box->low[0], low_x = box->low[1];
    const float high_y = box->high[0], high_x = box->high[1];
    const float area = box->area;
    for (int64_t i = 0; i < selected->count; i += NMS_BLOCK) {
        const float *const lows_y = selected->low[0] + i, *const lows_x = selected->low[1] + i;
        const float *const highs_y = selected->high[0] + i, *const highs_x = selected->high[1] + i;
        const float *const areas = selected->area + i;
        int32_t over = 0;
        for (int32_t k = 0; k < NMS_BLOCK; k++) {
            const float top = low_y > lows_y[k] ? low_y : lows_y[k];
            const float left = low_x > lows_x[k] ? low_x : lows_x[k];
            const float bottom = high_y < highs_y[k] ? high_y : highs_y[k];
            const float right = high_x < highs_x[k] ? high_x : highs_x[k];
            const float difference_y = bottom - top, difference_x = right - left;
            const float height = difference_y > 0 ? difference_y : 0;
            const float width = difference_x > 0 ? difference_x : 0;
            const float shared = height * width;
            const float sum = area + areas[k];
            const float united = sum - shared;
            const float share = shared / united;
            over |= share > threshold;
        }
        if (over != 0) {
            return true;
        }
    }
    return false;
}

#undef SET
