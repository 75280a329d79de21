/* Calls that were found to break the library once, as the fuzzer's bytes: they are checked with the
 * seeds, and the fuzzer starts with them. What each was, opmill_fuzz_replay prints. */
#include "call.h"

static const struct {
    const char *name;
    const char *hex;
} REGRESSIONS[] = {
    {"infer read values at an odd address",
     "54696c652d3133000200060000020101000304020900014902020204000102030708014a0102020202"},
    {"twice the number of threads was beyond int32, and a division by 0 came of it",
     "436f6e765472616e73706f73652d3100000034000002010100d904020b000158060202030302020300080"
     "00b0002cc0602020303020100030704000303030307040002020202000a53414d455f5550504552"},
    {"X was larger than memory can be, and the layout of its workspace beyond int64",
     "436f6e765472616e73706f73652d32320002000a0000020101000004020100046f0502e604040500010002"
     "7f05e60203030300"},
    {"X was as large as memory can be, and its workspace beyond int64",
     "436f6e765472616e73706f73652d31000000000000020101000301020100021f030101e2000100012003010"
     "10303010203020501000807010002"},
    {"a band of rows below all elements of a plane began before its memory",
     "4d6178506f6f6c2d31000000020000010105000300010100031d0402020d2500040102000303020400730173"
     "010302000202010200070b"},
    {"twice the number of threads was beyond int32 in a depthwise call",
     "436f6e765472616e73706f73652d323200000034000002010100d904020b000158050202030302030008"
     "000b0000ea0502020303590004070300030303070300020202000a53414d455f55505045520202"},
};

enum { COUNT = sizeof REGRESSIONS / sizeof REGRESSIONS[0] };

static int digit_of(char hex) { return hex <= '9' ? hex - '0' : hex - 'a' + 10; }

int32_t call_regression_count(void) { return COUNT; }

void call_regression(int32_t index, call *seed, const char **name) {
    uint8_t bytes[CALL_BYTES];
    size_t size = 0;
    for (const char *hex = REGRESSIONS[index].hex; hex[0] != '\0' && size < CALL_BYTES; hex += 2) {
        bytes[size++] = (uint8_t)(digit_of(hex[0]) * 16 + digit_of(hex[1]));
    }
    call_decode(seed, bytes, size);
    *name = REGRESSIONS[index].name;
}
