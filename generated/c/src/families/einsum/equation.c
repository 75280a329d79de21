/* Parses the terms of an Einsum equation to labels of axes, resolves ellipses, and merges repeated
 * labels of a term to one axis with the sum of its steps. */
#include "families/einsum/equation.h"

#include <string.h>

int32_t opmill_einsum_letter(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    return c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

bool opmill_einsum_ends(const char *at) {
    return *at == '\0' || *at == ',' || (*at == '-' && at[1] == '>');
}

const char *opmill_einsum_read_term(const char *at, int32_t covered, int32_t *labels,
                                    int32_t max_labels, int32_t *count) {
    int32_t found = 0;
    for (; !opmill_einsum_ends(at); at++) {
        const int32_t letter = opmill_einsum_letter(*at);
        if (letter >= 0 && found < max_labels) {
            labels[found++] = letter;
        } else if (*at == '.') {
            for (int32_t q = 0; q < covered && found < max_labels; q++) {
                labels[found++] = EINSUM_LETTERS + q;
            }
            at += at[1] == '.' && at[2] == '.' ? 2 : 0;
        }
    }
    *count = found;
    return at;
}

/* The dims under the ellipsis of a term; -1 where it has none. */
static int32_t covered_by(const char *at, int32_t rank) {
    bool dots = false;
    for (; !opmill_einsum_ends(at); at++) {
        dots = dots || *at == '.';
        rank -= opmill_einsum_letter(*at) >= 0;
    }
    return dots ? rank : -1;
}

static void read_output(einsum_equation *equation, const char *at, const int32_t *occurrences) {
    int32_t labels[EINSUM_LABELS], count = 0;
    if (*at == '-') {
        (void)opmill_einsum_read_term(at + 2, equation->covered, labels, EINSUM_LABELS, &count);
    } else {
        for (; count < equation->covered; count++) {
            labels[count] = EINSUM_LETTERS + count;
        }
        for (int32_t letter = 0; letter < EINSUM_LETTERS; letter++) {
            if (occurrences[letter] == 1) {
                labels[count++] = letter;
            }
        }
    }
    for (int32_t i = 0; i < count; i++) {
        equation->in_output[labels[i]] = true;
        if (equation->uses[labels[i]] > 0) {
            equation->labels[equation->rank++] = (uint8_t)labels[i];
        }
    }
}

void opmill_einsum_read(einsum_equation *equation, const char *text,
                        const opmill_tensor *const *inputs, int32_t count) {
    int32_t occurrences[EINSUM_LABELS] = {0};
    const char *at = text;
    memset(equation, 0, sizeof *equation);
    for (int32_t k = 0; k < count; k++) {
        const int32_t covered = covered_by(at, inputs[k]->rank);
        equation->covered = covered > 0 ? covered : equation->covered;
        while (!opmill_einsum_ends(at)) {
            at++;
        }
        at += *at == ',';
    }
    at = text;
    for (int32_t k = 0; k < count; k++) {
        int32_t labels[OPMILL_MAX_RANK], rank;
        at = opmill_einsum_read_term(at, equation->covered, labels, inputs[k]->rank, &rank);
        at += *at == ',';
        for (int32_t i = 0; i < rank; i++) {
            const int32_t label = labels[i];
            const int64_t dim = inputs[k]->dims[i];
            occurrences[label]++;
            equation->empty = equation->empty || dim == 0;
            if (dim != 1 && (equation->uses[label] == 0 || equation->last[label] != k)) {
                equation->uses[label]++;
                equation->last[label] = k;
                equation->sizes[label] = dim;
            }
        }
    }
    read_output(equation, at, occurrences);
}

const char *opmill_einsum_view(einsum_view *view, const einsum_equation *equation, const char *term,
                               const opmill_tensor *input) {
    int32_t labels[OPMILL_MAX_RANK], rank;
    int64_t steps[OPMILL_MAX_RANK], step = 1;
    const char *const at =
        opmill_einsum_read_term(term, equation->covered, labels, input->rank, &rank);
    for (int32_t i = rank - 1; i >= 0; i--) {
        steps[i] = step;
        step *= input->dims[i];
    }
    view->data = input->data;
    view->type = input->type;
    view->rank = 0;
    for (int32_t i = 0; i < rank; i++) {
        int32_t k = 0;
        while (k < view->rank && view->labels[k] != labels[i]) {
            k++;
        }
        if (input->dims[i] == 1) {
            continue;
        }
        if (k == view->rank) {
            view->labels[view->rank++] = (uint8_t)labels[i];
            view->steps[k] = 0;
        }
        view->steps[k] += steps[i]; /* the diagonal of axes with one label */
    }
    return at + (*at == ',');
}
