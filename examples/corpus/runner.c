/* Calls a runtime with the cases of the corpus, and compares the results.
 *
 *     cc -std=c11 -O1 runner.c reader.c values.c on_opmill.c -lopmill -lm -o runner
 *     ./runner build/corpus Tile Conv
 *
 * The options -rtol and -atol widen the tolerances of results that are not exact. An example that
 * holds in every type of a variable is run in the type in which it is written. */
#include "reader.h"
#include "values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RIGHT,
    WRONG,
    OPEN,
    REFUSED,
    ABSENT,
    LEFT_OUT,
    INVALID_REFUSED,
    INVALID_COMPUTED,
    WORDED,
    OUTCOMES
};
static const char *const NAMES[] = {"right",
                                    "wrong",
                                    "open",
                                    "refused",
                                    "absent",
                                    "left out",
                                    "invalid refused",
                                    "invalid computed",
                                    "same message"};

static long counts[MAX_ITEMS][OUTCOMES]; /* of each version */
static double min_rtol, min_atol;

/* Writes a difference; returns false. */
static bool differs(char *text, int64_t index, const char *found, const char *wanted) {
    snprintf(text, CORPUS_MESSAGE_SIZE, "element %lld is %s, expected %s", (long long)index, found,
             wanted);
    return false;
}

/* Whether numbers are as near as the tolerance allows; the signs of zeros and NaNs may differ. */
static bool is_near(double wanted, double found, double rtol, double atol) {
    if (!isfinite(wanted) || !isfinite(found)) {
        return wanted == found || (isnan(wanted) && isnan(found));
    }
    return fabs(wanted - found) <= atol + rtol * fabs(wanted);
}

/* Whether the elements of an output are as expected; if not, the text says why. */
static bool are_elements_right(const corpus_operator *operator, int64_t version,
                               const corpus_tensor *wanted, const corpus_tensor *found,
                               char *text) {
    const corpus_format *const format = corpus_format_of(wanted->type);
    const int bits = format->bits;
    double rtol = -1, atol = 0; /* exact */
    for (int i = 0; i < operator->accuracy_count; i++) {
        if (operator->accuracies[i].version == version &&
            strcmp(operator->accuracies[i].type, wanted->type) == 0) {
            rtol = fmax(operator->accuracies[i].rtol, min_rtol);
            atol = fmax(operator->accuracies[i].atol, min_atol);
        }
    }
    for (int64_t i = 0; i < wanted->count * corpus_parts(format); i++) {
        if (format->kind == 's') {
            const char *const expected = ((const char **)wanted->data)[i];
            const char *const got = ((const char **)found->data)[i];
            if (strcmp(expected, got) != 0) {
                return differs(text, i, got, expected);
            }
            continue;
        }
        const uint64_t expected = corpus_pattern(wanted->data, bits, i);
        const uint64_t got = corpus_pattern(found->data, bits, i);
        const double number = corpus_number(format, expected), own = corpus_number(format, got);
        if (expected != got && (rtol < 0 || !is_near(number, own, rtol, atol))) {
            char words[2][80];
            snprintf(words[0], sizeof words[0], "%.17g (0x%llx)", own, (unsigned long long)got);
            snprintf(words[1], sizeof words[1], "%.17g (0x%llx)", number,
                     (unsigned long long)expected);
            return differs(text, i, words[0], words[1]);
        }
    }
    return true;
}

static bool is_right(const corpus_operator *operator, int64_t version, const corpus_tensor *wanted,
                     const corpus_tensor *found, char *text) {
    bool is_alike = found->type != NULL && strcmp(found->type, wanted->type) == 0 &&
                    found->rank == wanted->rank;
    for (int i = 0; is_alike && i < wanted->rank; i++) {
        is_alike = found->dims[i] == wanted->dims[i];
    }
    if (!is_alike) {
        snprintf(text, CORPUS_MESSAGE_SIZE,
                 "an output has another type or shape than %s of rank %d", wanted->type,
                 wanted->rank);
        return false;
    }
    return are_elements_right(operator, version, wanted, found, text);
}

/* Whether ONNX's text leaves the result open, so that another one is not wrong. */
static bool is_open(const corpus_operator *operator, const corpus_case *one, int64_t version) {
    for (int i = 0; i < operator->erratum_count; i++) {
        for (int k = 0; k < one->rests_on_count; k++) {
            if (strcmp(operator->errata[i].name, one->rests_on[k]) == 0 &&
                corpus_has_version(operator->errata[i].versions, version)) {
                return true;
            }
        }
    }
    return false;
}

static int outcome_of(const corpus_operator *operator, const corpus_case *one, int64_t version,
                      char *text) {
    corpus_tensor outputs[MAX_ITEMS] = {{NULL}};
    const corpus_call call = {operator->domain, operator->name,       version,
                              one->attributes,  one->attribute_count, one->inputs,
                              one->input_count, one->output_count};
    if (one->is_left_out) {
        return LEFT_OUT;
    }
    for (int i = 0; i < one->output_count; i++) {
        outputs[i].type = one->is_reject ? "" : one->outputs[i].type;
    }
    const enum corpus_outcome outcome = corpus_run(&call, outputs, text);
    if (outcome == CORPUS_ABSENT) {
        return ABSENT;
    }
    if (one->is_reject) {
        return outcome == CORPUS_COMPUTED ? INVALID_COMPUTED : INVALID_REFUSED;
    }
    if (outcome == CORPUS_REFUSED) {
        return REFUSED;
    }
    for (int i = 0; i < one->output_count; i++) {
        if (one->outputs[i].type != NULL &&
            !is_right(operator, version, &one->outputs[i], &outputs[i], text)) {
            return is_open(operator, one, version) ? OPEN : WRONG;
        }
    }
    return RIGHT;
}

/* Runs a case at each version that has it. */
static void run(const corpus_operator *operator, const corpus_case *one) {
    for (int i = 0; i < operator->version_count; i++) {
        const int64_t version = operator->versions[i];
        char text[CORPUS_MESSAGE_SIZE] = "";
        if (corpus_has_version(one->versions, version)) {
            const void *const newest = corpus_newest();
            const int outcome = outcome_of(operator, one, version, text);
            counts[i][outcome]++;
            counts[i][WORDED] += outcome == INVALID_REFUSED && strcmp(text, one->message) == 0;
            if (outcome == WRONG || outcome == REFUSED || outcome == INVALID_COMPUTED) {
                printf("%s: %s-%lld: %s: %s\n", NAMES[outcome], operator->name, (long long)version,
                       one->name, text);
            }
            corpus_release(newest);
        }
    }
}

static void print_counts(const long *numbers) {
    const char *mark = ":";
    for (int i = 0; i < OUTCOMES; i++) {
        if (numbers[i] > 0) {
            printf("%s %s %ld", mark, NAMES[i], numbers[i]);
            mark = ",";
        }
    }
    putchar('\n');
}

int main(int count, char **words) {
    static corpus_operator operator;
    static char index[1100], path[2300], name[1024];
    static long total[OUTCOMES];
    int first = 1;
    for (; first + 1 < count && words[first][0] == '-'; first += 2) {
        *(strcmp(words[first], "-rtol") == 0 ? &min_rtol : &min_atol) = atof(words[first + 1]);
    }
    const char *const folder = first < count ? words[first] : ".";
    snprintf(index, sizeof index, "%.1000s/index.txt", folder);
    FILE *const listed = fopen(index, "rb");
    if (listed == NULL) {
        fprintf(stderr, "%s: cannot be read, expected the index of a corpus\n", index);
        return 2;
    }
    while (fscanf(listed, "%1023s", name) == 1) {
        char *const slash = strchr(name, '/'), *const end = strstr(name, ".txt");
        if (slash == NULL || end == NULL) {
            continue; /* another word of a line, as a digest */
        }
        snprintf(path, sizeof path, "%.1000s/%s", folder, name);
        *slash = *end = '\0';
        operator.domain = name, operator.name = slash + 1;
        bool is_chosen = first + 1 >= count;
        for (int i = first + 1; i < count; i++) {
            is_chosen = is_chosen || strcmp(words[i], operator.name) == 0;
        }
        if (is_chosen) {
            memset(counts, 0, sizeof counts);
            corpus_read(path, &operator, run);
            for (int i = 0; i < operator.version_count; i++) {
                printf("%s-%lld", operator.name, (long long)operator.versions[i]);
                print_counts(counts[i]);
                for (int k = 0; k < OUTCOMES; k++) {
                    total[k] += counts[i][k];
                }
            }
            corpus_release(NULL);
        }
    }
    fclose(listed);
    printf("all");
    print_counts(total);
    return total[WRONG] > 0 || total[RIGHT] == 0;
}
