/* Checks the coordinates and batch indices of regions and reads them as doubles. Values that
 * another thread has changed since the check are limited again on reading. */
#include "runtime/indexing/regions.h"

#include <math.h>

#include "runtime/call/message.h"
#include "runtime/numbers/reals.h"

static double number_at(const opmill_tensor *rois, int64_t row, int32_t column) {
    return opmill_real_at(rois->data, rois->type, row * rois->dims[1] + column);
}

static void put_position(opmill_message *message, const char *name, int64_t row, int32_t column) {
    const int64_t index[] = {row, column};
    opmill_put_text(message, name);
    opmill_put_ints(message, index, 2);
}

static bool is_within(double scaled) {
    return scaled >= -OPMILL_REGION_LIMIT && scaled <= OPMILL_REGION_LIMIT; /* no NaN is */
}

static bool is_batch(double number, int64_t count) {
    return number >= 0 && number < (double)count && floor(number) == number;
}

bool opmill_regions_check(const opmill_tensor *rois, int32_t first, double scale,
                          opmill_context *context) {
    for (int64_t row = 0; row < rois->dims[0]; row++) {
        for (int32_t column = first; column < (int32_t)rois->dims[1]; column++) {
            const double scaled = number_at(rois, row, column) * scale;
            if (!is_within(scaled)) {
                opmill_message message = opmill_contents_begin(context);
                put_position(&message, "scaled rois", row, column);
                opmill_put_text(&message, " is ");
                opmill_put_float(&message, scaled);
                opmill_put_text(&message, ", expected -2^30 to 2^30");
                return false;
            }
        }
    }
    return true;
}

bool opmill_regions_check_batches(const opmill_tensor *rois, int64_t count,
                                  opmill_context *context) {
    for (int64_t row = 0; row < rois->dims[0]; row++) {
        const double number = number_at(rois, row, 0);
        if (!is_batch(number, count)) {
            opmill_message message = opmill_contents_begin(context);
            put_position(&message, "rois", row, 0);
            opmill_put_text(&message, " is ");
            opmill_put_float(&message, number);
            opmill_put_text(&message, ", expected a whole number from 0 to ");
            opmill_put_int(&message, count - 1);
            return false;
        }
    }
    return true;
}

double opmill_regions_read(const opmill_tensor *rois, int64_t row, int32_t column, double scale) {
    const double scaled = number_at(rois, row, column) * scale;
    return is_within(scaled) ? scaled : 0;
}

int64_t opmill_regions_batch(const opmill_tensor *rois, int64_t row, int64_t count) {
    const double number = number_at(rois, row, 0);
    return is_batch(number, count) ? (int64_t)number : 0;
}
