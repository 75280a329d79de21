#include "tally.h"

#include <stdio.h>

#include "opmill/kernels.h"

enum { MOST_KERNELS = 4096 };

static long calls[MOST_KERNELS], legal_calls[MOST_KERNELS];

void tally_add(const call *made, bool legal) {
    for (int32_t i = 0; i < opmill_kernel_count && i < MOST_KERNELS; i++) {
        if (opmill_kernels[i] == made->kernel) {
            calls[i]++;
            legal_calls[i] += legal;
        }
    }
}

void tally_print(void) {
    for (int32_t i = 0; i < opmill_kernel_count && i < MOST_KERNELS; i++) {
        if (calls[i] > 0) {
            fprintf(stderr, "TALLY %s: %ld calls, %ld legal\n", opmill_kernels[i]->label, calls[i],
                    legal_calls[i]);
        }
    }
}
