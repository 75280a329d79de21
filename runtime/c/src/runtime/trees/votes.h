/* The scores of rows of features: an ensemble is walked, and the votes of leaves are added. */
#ifndef OPMILL_TREES_VOTES_H
#define OPMILL_TREES_VOTES_H

#include "runtime/trees/forest.h"

typedef struct opmill_forest_job opmill_forest_job;

/* Callback of a family for the scores of a row, one for each target. */
typedef void opmill_forest_finish(const opmill_forest_job *job, int64_t row, const double *scores);

struct opmill_forest_job {
    const opmill_forest *forest;
    const opmill_tensor *X; /* [N, F] */
    int64_t first_target, targets;
    int64_t aggregate;
    bool narrows; /* whether integers become floats before they are compared */
    opmill_forest_finish *finish;
    const void *state; /* the family's */
};

/* Size of the scratch memory of a run in bytes; UINT64_MAX if it overflows. */
uint64_t opmill_forest_run_bytes(const opmill_forest_counts *counts, const opmill_tensor *X,
                                 int64_t targets, const opmill_context *context);

/* Computes the scores of all rows; `scratch` is aligned. */
void opmill_forest_run(const opmill_forest_job *job, void *scratch, const opmill_context *context);

/* The bytes of a workspace for a form, and then for its building and for a run, one after the
 * other; SIZE_MAX where a size_t does not hold them. */
size_t opmill_forest_workspace(uint64_t form, uint64_t building, uint64_t run);

/* The form that a call has from opmill_prepare; one of no parts where it has none. */
opmill_forest opmill_forest_prepared(const opmill_forest_counts *counts,
                                     const opmill_context *context);

/* A score and a base value in the type in which votes are added; the score where there is none. */
double opmill_forest_based(const opmill_forest *forest, double score, const opmill_tensor *base,
                           int64_t i);

#endif
