/* Einsum's equation, which the rule has accepted, as labels of axes. */
#ifndef OPMILL_EINSUM_EQUATION_H
#define OPMILL_EINSUM_EQUATION_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

enum {
    EINSUM_LETTERS = 52,                             /* in the order of ASCII */
    EINSUM_LABELS = EINSUM_LETTERS + OPMILL_MAX_RANK /* and the dims under ellipses */
};

/* A tensor that is read by labels: each once, and none of one position. */
typedef struct einsum_view {
    const void *data;
    int32_t type;
    int32_t rank;
    uint8_t labels[EINSUM_LABELS];
    int64_t steps[EINSUM_LABELS]; /* in elements */
} einsum_view;

typedef struct einsum_equation {
    int64_t sizes[EINSUM_LABELS]; /* at most 1 of labels that no view has */
    int32_t uses[EINSUM_LABELS];  /* inputs that have it with several positions */
    int32_t last[EINSUM_LABELS];  /* the last of them */
    bool in_output[EINSUM_LABELS];
    int32_t covered;               /* dims under an ellipsis */
    int32_t rank;                  /* of the output, without dims of one position */
    uint8_t labels[EINSUM_LABELS]; /* of its axes */
    bool empty;                    /* some input has no elements */
} einsum_equation;

/* The number of a letter; -1 of another character. */
int32_t opmill_einsum_letter(char c);

/* True if a term ends here. */
bool opmill_einsum_ends(const char *at);

/* The labels of a term, in order, and its end. There are no more than `max_labels`. */
const char *opmill_einsum_read_term(const char *at, int32_t covered, int32_t *labels,
                                    int32_t max_labels, int32_t *count);

void opmill_einsum_read(einsum_equation *equation, const char *text,
                        const opmill_tensor *const *inputs, int32_t count);

/* The view of the input whose term begins at `term`; the next term. */
const char *opmill_einsum_view(einsum_view *view, const einsum_equation *equation, const char *term,
                               const opmill_tensor *input);

#endif
