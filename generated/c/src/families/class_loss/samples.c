/* Checks the class labels of a loss, reads them, and divides the samples into blocks. */
#include "samples.h"

#include "runtime/call/message.h"

enum { BLOCK_ELEMENTS = 64 * 1024, MAX_BLOCK = 4096 };

void opmill_loss_begin(opmill_loss_samples *samples, const opmill_tensor *input,
                       const opmill_tensor *target, bool ignores, int64_t ignored, bool reads_all) {
    samples->target = target;
    samples->classes = input->dims[1];
    samples->inner = 1;
    for (int32_t i = 1; i < target->rank; i++) {
        samples->inner *= target->dims[i];
    }
    samples->count = samples->inner * target->dims[0];
    samples->block = MAX_BLOCK;
    if (reads_all && samples->classes > BLOCK_ELEMENTS / MAX_BLOCK) {
        const int64_t block = BLOCK_ELEMENTS / samples->classes;
        samples->block = block > 1 ? block : 1;
    }
    samples->blocks = samples->count > 0 ? (samples->count - 1) / samples->block + 1 : 0;
    samples->ignores = ignores;
    samples->ignored = ignored;
}

static int64_t read_class(const opmill_loss_samples *samples, int64_t at) {
    const opmill_tensor *const target = samples->target;
    return target->type == OPMILL_INT32 ? ((const int32_t *)target->data)[at]
                                        : ((const int64_t *)target->data)[at];
}

static bool is_legal(const opmill_loss_samples *samples, int64_t class) {
    return (class >= 0 && class < samples->classes) ||
           (samples->ignores && class == samples->ignored);
}

static void report(const opmill_loss_samples *samples, const char *name, int64_t at, int64_t class,
                   opmill_context *context) {
    const opmill_tensor *const target = samples->target;
    int64_t index[OPMILL_MAX_RANK];
    for (int32_t i = target->rank - 1; i >= 0; i--) {
        index[i] = at % target->dims[i];
        at /= target->dims[i];
    }
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, name);
    opmill_put_ints(&message, index, target->rank);
    opmill_put_text(&message, " is ");
    opmill_put_int(&message, class);
    opmill_put_text(&message, ", expected ");
    if (samples->classes > 0) {
        opmill_put_text(&message, "0 to ");
        opmill_put_int(&message, samples->classes - 1);
    } else {
        opmill_put_text(&message, "no class (axis 1 is empty)");
    }
    if (samples->ignores) {
        opmill_put_text(&message, " or ");
        opmill_put_int(&message, samples->ignored);
        opmill_put_text(&message, " (ignore_index)");
    }
}

bool opmill_loss_check(const opmill_loss_samples *samples, const char *name,
                       opmill_context *context) {
    for (int64_t at = 0; at < samples->count; at++) {
        const int64_t class = read_class(samples, at);
        if (!is_legal(samples, class)) {
            report(samples, name, at, class, context);
            return false;
        }
    }
    return true;
}

int64_t opmill_loss_end(const opmill_loss_samples *samples, int64_t block) {
    const int64_t first = block * samples->block;
    return samples->count - first < samples->block ? samples->count : first + samples->block;
}

int64_t opmill_loss_class(const opmill_loss_samples *samples, int64_t at) {
    const int64_t class = read_class(samples, at);
    if (class < 0 || class >= samples->classes) {
        return -1;
    }
    return samples->ignores && class == samples->ignored ? -1 : class;
}
