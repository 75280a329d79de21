/* A part of test_graphs. */
#ifndef OPMILL_TEST_FLEX_GRAPHS_H
#define OPMILL_TEST_FLEX_GRAPHS_H

#include "opmill/operator.h"
#include "opmill/operators.h"

/* Calls FlexAttention with graphs, where the library has it. */
void check_flex_attention(void);

#endif
