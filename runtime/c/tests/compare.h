/* Comparison of results, and reports of failures. */
#ifndef OPMILL_TEST_COMPARE_H
#define OPMILL_TEST_COMPARE_H

#include <stdbool.h>

#include "cases.h"

#if defined(__GNUC__) || defined(__clang__)
#define PRINTS __attribute__((format(printf, 1, 2)))
#else
#define PRINTS
#endif

/* What the failures that follow are about. */
void about(const char *format, ...) PRINTS;

/* Counts a failure, and prints it with what it is about. */
void fail(const char *format, ...) PRINTS;

/* Counts a check, and a failure where it does not hold. */
void check(bool holds, const char *what);

/* Prints what was checked; what main returns. */
int finish(const char *checked);

/* The accuracy of a type; NULL where every bit counts. */
const case_accuracy *accuracy_of(const case_table *table, int32_t type);

/* Fails where the elements of two tensors of the same type and shape differ too much. */
void check_elements(const opmill_tensor *got, const opmill_tensor *expected,
                    const case_accuracy *accuracy, const char *whose);

#endif
