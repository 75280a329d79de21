/* How many calls of each version were made, how many of them were legal, and in which ways these
 * were computed. */
#ifndef OPMILL_FUZZ_TALLY_H
#define OPMILL_FUZZ_TALLY_H

#include "call.h"

void tally_add(const call *made, bool legal);
void tally_way(const call *made, const char *way);
void tally_print(void);

#endif
