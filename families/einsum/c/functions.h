/* Einsum's equation in C, as functions.py reads it in Python: the functions that the rule calls.
 * Lists of labels have at most OPMILL_MAX_LIST values from 0 to EINSUM_LABELS - 1. */
#ifndef OPMILL_EINSUM_FUNCTIONS_H
#define OPMILL_EINSUM_FUNCTIONS_H

#include <stdint.h>

#include "runtime/call/rules.h"

void opmill_einsum_find_fault(const char *equation, opmill_list *found);

int64_t opmill_einsum_count_terms(const char *equation);

void opmill_einsum_measure_term(const char *equation, int64_t term, opmill_list *found);

void opmill_einsum_term_labels(const char *equation, int64_t term, int64_t rank,
                               opmill_list *labels);

void opmill_einsum_output_labels(const char *equation, int64_t covered, opmill_list *labels);

#endif
