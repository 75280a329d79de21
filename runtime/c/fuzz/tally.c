/* Counts, for each operator version, the calls, the valid ones, and the strategies that computed
 * them; prints the table at the end of a run. */
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opmill/operators.h"

enum { MAX_WAYS = 16 };

typedef struct tally {
    long calls, legal;
    struct {
        const char *name;
        long calls;
    } ways[MAX_WAYS];
} tally;

static tally *tally_of(const opmill_operator *operator) {
    static tally *tallies;
    if (tallies == NULL) {
        tallies = calloc((size_t)opmill_operator_count, sizeof *tallies);
    }
    for (int32_t i = 0; tallies != NULL && i < opmill_operator_count; i++) {
        if (opmill_operators[i] == operator) {
            return &tallies[i];
        }
    }
    abort();
}

void tally_add(const call *tallied, bool legal) {
    tally *const of = tally_of(tallied->operator);
    of->calls++;
    of->legal += legal;
}

void tally_way(const call *tallied, const char *way) {
    tally *const of = tally_of(tallied->operator);
    for (int i = 0; i < MAX_WAYS; i++) {
        if (of->ways[i].name == NULL || strcmp(of->ways[i].name, way) == 0) {
            of->ways[i].name = way;
            of->ways[i].calls++;
            return;
        }
    }
}

void tally_print(void) {
    for (int32_t i = 0; i < opmill_operator_count; i++) {
        const tally *const of = tally_of(opmill_operators[i]);
        if (of->calls == 0) {
            continue;
        }
        fprintf(stderr, "TALLY %s: %ld calls, %ld legal", opmill_operators[i]->label, of->calls,
                of->legal);
        for (int k = 0; k < MAX_WAYS && of->ways[k].name != NULL; k++) {
            fprintf(stderr, ", %ld %s", of->ways[k].calls, of->ways[k].name);
        }
        fputc('\n', stderr);
    }
}
