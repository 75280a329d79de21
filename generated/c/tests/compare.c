/* Compares results with expected values within the accuracy of a case, and counts and prints
 * failures. */
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats.h"
#include "values.h"

static char subject[512];
static long failures, checks;

void about(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(subject, sizeof subject, format, arguments);
    va_end(arguments);
}

void fail(const char *format, ...) {
    va_list arguments;
    failures++;
    if (failures > 50) {
        return;
    }
    fprintf(stderr, "%s: ", subject);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void check(bool holds, const char *what) {
    checks++;
    if (!holds) {
        fail("%s", what);
    }
}

int finish(const char *checked) {
    if (cases_every() > 1) {
        printf("every %dth case: ", (int)cases_every());
    }
    printf("%s; %ld checks, %ld failures\n", checked, checks, failures);
    return failures == 0 && checks > 0 ? 0 : 1;
}

const case_accuracy *accuracy_of(const case_table *table, int32_t type) {
    for (int32_t i = 0; i < table->accuracy_count; i++) {
        if (table->accuracies[i].type == type) {
            return &table->accuracies[i];
        }
    }
    return NULL;
}

static bool close_to(double got, double expected, const case_accuracy *accuracy) {
    if (isnan(expected) || isinf(expected)) {
        return isnan(expected) ? isnan(got) : got == expected;
    }
    return fabs(got - expected) <= accuracy->atol + accuracy->rtol * fabs(expected);
}

/* An element, or a part of a complex one; floats of 8 bits by the definition of their format. */
static double real_at(const opmill_tensor *tensor, int64_t part) {
    return type_bytes(tensor->type, 1) == 1 ? number_at(tensor, part)
                                            : get_real(tensor->data, tensor->type, part);
}

/* The types, shapes and elements of the tensors of a sequence or an optional, none of which is
 * rounded. */
static void check_items(const opmill_tensor *got, const opmill_tensor *expected,
                        const char *whose) {
    const opmill_tensor *const *const a = got->data, *const *const b = expected->data;
    for (int64_t k = 0; k < expected->dims[0]; k++) {
        const size_t dims_bytes = (size_t)b[k]->rank * sizeof *b[k]->dims;
        checks++;
        if (a[k]->type != b[k]->type || a[k]->rank != b[k]->rank ||
            (dims_bytes > 0 && memcmp(a[k]->dims, b[k]->dims, dims_bytes) != 0)) {
            fail("tensor %" PRId64 " has another type or shape than %s has", k, whose);
            return;
        }
        check_elements(a[k], b[k], NULL, whose);
    }
}

void check_elements(const opmill_tensor *got, const opmill_tensor *expected,
                    const case_accuracy *accuracy, const char *whose) {
    if (expected->type == OPMILL_UNDEFINED) {
        return; /* an output that the example does not request */
    }
    if (type_has_items(expected->type)) {
        check_items(got, expected, whose);
        return;
    }
    const int64_t count = count_of(expected->dims, expected->rank);
    const size_t bytes = type_bytes(expected->type, 1);
    if (count > 0 && type_bytes(expected->type, 8) < 8) { /* below a byte: all of them, packed */
        checks++;
        if (memcmp(got->data, expected->data, type_bytes(expected->type, count)) != 0) {
            fail("the packed elements are not what %s has, bit for bit", whose);
        }
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        const char *const a = (const char *)got->data + (size_t)k * bytes;
        const char *const b = (const char *)expected->data + (size_t)k * bytes;
        checks++;
        if (accuracy != NULL) {
            const double x = real_at(got, k), y = real_at(expected, k);
            if (!close_to(x, y, accuracy)) {
                fail("element %" PRId64 " is %.17g, %s has %.17g", k, x, whose, y);
                return;
            }
        } else if (got->type == OPMILL_STRING) {
            const char *x, *y;
            memcpy(&x, a, sizeof x);
            memcpy(&y, b, sizeof y);
            if (strcmp(x, y) != 0) {
                fail("element %" PRId64 " is '%s', %s has '%s'", k, x, whose, y);
                return;
            }
        } else if (memcmp(a, b, bytes) != 0) {
            fail("element %" PRId64 " is not what %s has, bit for bit", k, whose);
            return;
        }
    }
}
