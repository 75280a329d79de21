/* The fuzzer's calls without a fuzzer, for any compiler:
 *
 *     opmill_fuzz_replay --seeds N        checks the seeds, and N mutations of each
 *     opmill_fuzz_replay FILE...          checks what files hold, and prints it
 *     opmill_fuzz_replay --hex FILE       prints it as it would stand in regressions.c
 *     opmill_fuzz_replay --write FOLDER   writes the seeds as files for the fuzzer to start with
 *     opmill_fuzz_replay --list           prints the labels of all versions
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "cases.h"
#include "opmill/operators.h"
#include "tally.h"

enum { IN_A_ROW = 4 };

static call replayed;
static uint8_t bytes[CALL_BYTES];

static int fail(const char *what, const char *name) {
    fprintf(stderr, "%s: %s\n", name, what);
    return 1;
}

/* What the bytes say must be what was encoded. */
static int check_encoded(size_t size, const char *name) {
    static uint8_t again[CALL_BYTES];
    static call decoded;
    call_decode(&decoded, bytes, size);
    if (call_encode(&decoded, again, sizeof again) != size || memcmp(bytes, again, size) != 0) {
        return fail("a call is not what its bytes say", name);
    }
    return 0;
}

static int check_seeds(unsigned mutations) {
    const char *name;
    for (int32_t i = 0; i < call_seed_count(); i += cases_every()) {
        if (!call_seed(i, &replayed, &name)) {
            continue;
        }
        tally_add(&replayed, call_check(&replayed));
        for (unsigned k = 0; k < mutations; k++) {
            if (k % IN_A_ROW == 0) {
                (void)call_seed(i, &replayed, &name);
            }
            call_mutate(&replayed, (unsigned)i * mutations + k);
            const size_t size = call_encode(&replayed, bytes, sizeof bytes);
            if (size > 0 && check_encoded(size, name) != 0) {
                return 1;
            }
            tally_add(&replayed, call_check(&replayed));
        }
    }
    tally_print();
    return 0;
}

static int write_seeds(const char *folder) {
    const char *name;
    char path[4096];
    for (int32_t i = 0; i < call_seed_count(); i++) {
        const size_t size =
            call_seed(i, &replayed, &name) ? call_encode(&replayed, bytes, sizeof bytes) : 0;
        if (size == 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s-%04d", folder, replayed.operator->label, (int)i);
        FILE *const file = fopen(path, "wb");
        if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
            return fail("cannot be written", path);
        }
    }
    return 0;
}

static bool read_call(const char *path) {
    FILE *const file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    const bool whole = file != NULL && ferror(file) == 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    if (whole) {
        call_decode(&replayed, bytes, size);
        call_print(&replayed);
    }
    return whole;
}

static int print_hex(const char *path) {
    if (!read_call(path)) {
        return fail("cannot be read", path);
    }
    const size_t size = call_encode(&replayed, bytes, sizeof bytes);
    for (size_t i = 0; i < size; i++) {
        printf("%02x", bytes[i]);
    }
    puts("");
    return 0;
}

static int check_file(const char *path) {
    if (!read_call(path)) {
        return fail("cannot be read", path);
    }
    tally_add(&replayed, call_check(&replayed));
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 1) {
        return fail("needs arguments, see replay.c", argv[0]);
    }
    if (strcmp(argv[1], "--seeds") == 0) {
        return argc == 3 ? check_seeds((unsigned)strtoul(argv[2], NULL, 10))
                         : fail("needs a number", argv[1]);
    }
    if (strcmp(argv[1], "--write") == 0) {
        return argc == 3 ? write_seeds(argv[2]) : fail("needs a folder", argv[1]);
    }
    if (strcmp(argv[1], "--hex") == 0) {
        return argc == 3 ? print_hex(argv[2]) : fail("needs a file", argv[1]);
    }
    if (strcmp(argv[1], "--list") == 0) {
        for (int32_t i = 0; i < opmill_operator_count; i++) {
            puts(opmill_operators[i]->label);
        }
        return 0;
    }
    for (int i = 1; i < argc; i++) {
        if (check_file(argv[i]) != 0) {
            return 1;
        }
    }
    tally_print();
    return 0;
}
