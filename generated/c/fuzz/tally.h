/* Counts for each version: its calls, the valid ones, and the strategies by which these
 * were computed. */
#ifndef OPMILL_FUZZ_TALLY_H
#define OPMILL_FUZZ_TALLY_H

#include "call.h"

void tally_add(const call *tallied, bool legal);
void tally_way(const call *tallied, const char *way);
void tally_print(void);

#endif
