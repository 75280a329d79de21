/* The fuzzer's entries, as libFuzzer calls them. OPMILL_FUZZ_OPERATOR=Tile-13 keeps to one version.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "tally.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t limit, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t limit);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    (void)call_only_operator();
    atexit(tally_print);
    return 0;
}

/* Legal calls, to mutate: whatever is refused in a new way is worth keeping too, so that of the
 * corpus alone most are refused, and their mutations for the same reason. */
enum { MAX_ACCEPTED = 512, MAX_ACCEPTED_BYTES = 512 };
static uint8_t accepted[MAX_ACCEPTED][MAX_ACCEPTED_BYTES];
static size_t accepted_sizes[MAX_ACCEPTED], accepted_count;

static void keep(const uint8_t *bytes, size_t size) {
    static unsigned turn;
    if (size > MAX_ACCEPTED_BYTES || (accepted_count == MAX_ACCEPTED && turn++ % 16 != 0)) {
        return;
    }
    const size_t slot =
        accepted_count < MAX_ACCEPTED ? accepted_count++ : (turn / 16) % MAX_ACCEPTED;
    memcpy(accepted[slot], bytes, size);
    accepted_sizes[slot] = size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static call decoded; /* too large for a stack */
    call_decode(&decoded, bytes, size);
    const bool legal = call_check(&decoded);
    tally_add(&decoded, legal);
    if (legal) {
        keep(bytes, size);
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t limit, unsigned seed) {
    static call changed;
    if (seed % 32 == 0) {
        return LLVMFuzzerMutate(bytes, size, limit);
    }
    if (seed / 32 % 2 == 0 && accepted_count > 0) {
        const size_t slot = seed / 64 % accepted_count;
        call_decode(&changed, accepted[slot], accepted_sizes[slot]);
    } else {
        call_decode(&changed, bytes, size);
    }
    call_mutate(&changed, seed);
    const size_t encoded = call_encode(&changed, bytes, limit);
    return encoded > 0 ? encoded : LLVMFuzzerMutate(bytes, size, limit);
}
