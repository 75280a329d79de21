/* The samples of a loss: where they are, and what classes they have. */
#ifndef OPMILL_CLASS_LOSS_SAMPLES_H
#define OPMILL_CLASS_LOSS_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

enum { OPMILL_LOSS_COLUMNS = 32 /* samples that are computed side by side */ };

typedef struct opmill_loss_samples {
    const opmill_tensor *target;
    int64_t classes;
    int64_t inner; /* samples that lie side by side, of one index of the batch */
    int64_t count;
    int64_t block; /* samples that are summed up together */
    int64_t blocks;
    bool ignores;
    int64_t ignored;
} opmill_loss_samples;

/* `reads_all` says that all classes of a sample are read, so that blocks of many classes are
 * short. */
void opmill_loss_begin(opmill_loss_samples *samples, const opmill_tensor *input,
                       const opmill_tensor *target, bool ignores, int64_t ignored, bool reads_all);

/* True if each class exists or is ignored; else the first that does not is reported. */
bool opmill_loss_check(const opmill_loss_samples *samples, const char *name,
                       opmill_context *context);

int64_t opmill_loss_end(const opmill_loss_samples *samples, int64_t block);

/* The class of a sample, read once; -1 where it is ignored, or no longer one. */
int64_t opmill_loss_class(const opmill_loss_samples *samples, int64_t at);

#endif
