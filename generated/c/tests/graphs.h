/* Graphs of the corpus, which are attributes: they run node by node through the library. */
#ifndef OPMILL_TEST_GRAPHS_H
#define OPMILL_TEST_GRAPHS_H

#include "opmill/types.h"

/* A graph from its JSON, which is changed. It is not freed, nor is what its runs return. NULL where
 * the library lacks an operator of it, or an attribute of a node has no form in C. Text that is not
 * what docs/start/corpus.md says ends the program. */
const opmill_graph *graph_of_json(char *text);

#endif
