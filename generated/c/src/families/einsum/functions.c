/* Einsum's equation as the rule reads it: its first fault, its terms and the labels of axes. Each
 * function equals that of functions.py, whose comments say what it returns. */
#include "families/einsum/functions.h"

#include "families/einsum/equation.h"

enum fault {
    EINSUM_NONE,
    EINSUM_DOTS,
    EINSUM_HYPHEN,
    EINSUM_BYTE,
    EINSUM_COMMA,
    EINSUM_ELLIPSES,
    EINSUM_OUTPUT_ELLIPSES,
    EINSUM_UNKNOWN_LETTER,
    EINSUM_REPEATED_LETTER
};

static bool report(opmill_list *found, int64_t fault, int64_t position, int64_t number) {
    found->count = 3;
    found->values[0] = fault;
    found->values[1] = position;
    found->values[2] = number;
    return fault != EINSUM_NONE;
}

/* The first byte at which no letter, comma, space, ellipsis or arrow begins. */
static bool find_byte(const char *equation, opmill_list *found) {
    bool has_arrow = false;
    for (int64_t i = 0; equation[i] != '\0'; i++) {
        const char c = equation[i];
        if (c == '.') {
            if (equation[i + 1] != '.') {
                return report(found, EINSUM_DOTS, i + 1, 0);
            }
            if (equation[i + 2] != '.') {
                return report(found, EINSUM_DOTS, i + 2, 0);
            }
            i += 2;
        } else if (c == '-' && !has_arrow) {
            if (equation[i + 1] != '>') {
                return report(found, EINSUM_HYPHEN, i, 0);
            }
            has_arrow = true;
            i++;
        } else if (c == ',' && has_arrow) {
            return report(found, EINSUM_COMMA, i, 0);
        } else if (c != ',' && c != ' ' && opmill_einsum_letter(c) < 0) {
            return report(found, EINSUM_BYTE, i, (unsigned char)c);
        }
    }
    return false;
}

/* Counts the letters and ellipses up to the end of a term. */
static const char *count_parts(const char *at, int64_t *letters, int64_t *ellipses) {
    int64_t dots = 0;
    *letters = 0;
    for (; !opmill_einsum_ends(at); at++) {
        dots += *at == '.';
        *letters += opmill_einsum_letter(*at) >= 0;
    }
    *ellipses = dots / 3;
    return at;
}

static bool find_in_output(const char *equation, const char *output, const bool *is_known,
                           opmill_list *found) {
    bool occurs[EINSUM_LETTERS] = {false};
    int64_t letters, ellipses, dots = 0;
    (void)count_parts(output, &letters, &ellipses);
    for (const char *at = output; *at != '\0'; at++) {
        const int32_t letter = opmill_einsum_letter(*at);
        dots += *at == '.';
        if (dots > 3) {
            return report(found, EINSUM_OUTPUT_ELLIPSES, at - equation, ellipses);
        }
        if (letter >= 0 && !is_known[letter]) {
            return report(found, EINSUM_UNKNOWN_LETTER, at - equation, 0);
        }
        if (letter >= 0 && occurs[letter]) {
            return report(found, EINSUM_REPEATED_LETTER, at - equation, 0);
        }
        if (letter >= 0) {
            occurs[letter] = true;
        }
    }
    return false;
}

void opmill_einsum_find_fault(const char *equation, opmill_list *found) {
    bool is_known[EINSUM_LETTERS] = {false};
    int64_t letters, ellipses, term = 0;
    const char *at = equation;
    if (find_byte(equation, found)) {
        return;
    }
    for (;; term++, at++) {
        for (const char *c = at; !opmill_einsum_ends(c); c++) {
            const int32_t letter = opmill_einsum_letter(*c);
            if (letter >= 0) {
                is_known[letter] = true;
            }
        }
        at = count_parts(at, &letters, &ellipses);
        if (ellipses > 1) {
            (void)report(found, EINSUM_ELLIPSES, term, ellipses);
            return;
        }
        if (*at != ',') {
            break;
        }
    }
    if (*at == '\0' || !find_in_output(equation, at + 2, is_known, found)) {
        (void)report(found, EINSUM_NONE, 0, 0);
    }
}

int64_t opmill_einsum_count_terms(const char *equation) {
    int64_t terms = 1;
    for (const char *at = equation; !opmill_einsum_ends(at) || *at == ','; at++) {
        terms += *at == ',';
    }
    return terms;
}

/* The beginning of a term, or of the output behind the last; the end of the text for none. */
static const char *find_term(const char *equation, int64_t term) {
    const char *at = equation;
    for (; term > 0 && *at != '\0'; term--) {
        while (!opmill_einsum_ends(at)) {
            at++;
        }
        at += *at == '\0' ? 0 : *at == ',' ? 1 : 2;
    }
    return at;
}

void opmill_einsum_measure_term(const char *equation, int64_t term, opmill_list *found) {
    found->count = 2;
    (void)count_parts(find_term(equation, term), &found->values[0], &found->values[1]);
}

static void write_labels(const char *term, int64_t covered, opmill_list *labels) {
    int32_t list[OPMILL_MAX_LIST];
    int32_t count;
    const int64_t hidden = opmill_min(opmill_max(covered, 0), OPMILL_MAX_RANK);
    (void)opmill_einsum_read_term(term, (int32_t)hidden, list, OPMILL_MAX_LIST, &count);
    for (int32_t i = 0; i < count; i++) {
        labels->values[i] = list[i];
    }
    labels->count = count;
}

void opmill_einsum_term_labels(const char *equation, int64_t term, int64_t rank,
                               opmill_list *labels) {
    const char *const at = find_term(equation, term);
    int64_t letters, ellipses;
    (void)count_parts(at, &letters, &ellipses);
    write_labels(at, rank - letters, labels);
}

void opmill_einsum_output_labels(const char *equation, int64_t covered, opmill_list *labels) {
    const char *at = equation;
    int64_t occurrences[EINSUM_LETTERS] = {0};
    for (; !opmill_einsum_ends(at) || *at == ','; at++) {
        const int32_t letter = opmill_einsum_letter(*at);
        if (letter >= 0) {
            occurrences[letter]++;
        }
    }
    if (*at == '-') {
        write_labels(at + 2, covered, labels);
        return;
    }
    write_labels("...", covered, labels);
    for (int32_t letter = 0; letter < EINSUM_LETTERS; letter++) {
        if (occurrences[letter] == 1) {
            labels->values[labels->count++] = letter;
        }
    }
}
