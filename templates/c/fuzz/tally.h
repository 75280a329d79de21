/* How many calls of each version were made, and how many of them were legal. */
#ifndef OPMILL_FUZZ_TALLY_H
#define OPMILL_FUZZ_TALLY_H

#include "call.h"

void tally_add(const call *made, bool legal);
void tally_print(void);

#endif
