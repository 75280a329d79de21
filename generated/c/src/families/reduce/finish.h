/* Last step of a reduction on its totals, and their rounding to elements.
 */
#ifndef OPMILL_REDUCE_FINISH_H
#define OPMILL_REDUCE_FINISH_H

#include "families/reduce/walk.h"

/* The last step. Real totals take each of these, wide ones a mean or a root, other integers none.
 */
typedef enum opmill_reduce_last {
    OPMILL_REDUCE_AS_IT_IS,
    OPMILL_REDUCE_MEAN_OF_TERMS,
    OPMILL_REDUCE_ROOT,
    OPMILL_REDUCE_LOG,
    OPMILL_REDUCE_LOG_AND_SHIFT /* the logarithm, and what was subtracted before exponentials */
} opmill_reduce_last;

typedef struct opmill_reduce_finish {
    opmill_reduce_last last;
    opmill_reduce_member member;
    int32_t type;          /* of the elements */
    int64_t terms;         /* combined in each total */
    opmill_math_loop *log; /* of doubles */
    bool double_shifts;
} opmill_reduce_finish;

/* Writes `count` elements to `to`, from the one at `first` on. */
void opmill_reduce_finish_totals(const opmill_reduce_finish *finish, opmill_reduce_totals *totals,
                                 const opmill_reduce_shifts *shifts, void *to, int64_t first,
                                 int64_t count);

/* The shifts of the largest elements: those that are finite, else 0. */
void opmill_reduce_shifts_of(const opmill_reduce_totals *largest, opmill_reduce_member member,
                             bool double_shifts, opmill_reduce_shifts *shifts, int64_t count);

#endif
