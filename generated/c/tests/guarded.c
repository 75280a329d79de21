#if defined(__unix__) || defined(__APPLE__)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, which C11 alone does not show */
#define _DARWIN_C_SOURCE
#include <sys/mman.h>
#include <unistd.h>
#define HAVE_MMAP 1
#else
#define HAVE_MMAP 0
#endif

#include "guarded.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 64 };

static void no_memory(void) {
    fputs("out of memory\n", stderr);
    exit(2);
}

guarded guarded_new(size_t size, bool at_end) {
    guarded memory = {.size = size};
#if HAVE_MMAP
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    memory.usable_at = page;
    memory.usable_size = (size + page - 1) / page * page + (size == 0 ? page : 0);
    memory.all_size = memory.usable_size + 2 * page;
    memory.all = mmap(NULL, memory.all_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory.all == MAP_FAILED ||
        mprotect(memory.all + page, memory.usable_size, PROT_READ | PROT_WRITE) != 0) {
        no_memory();
    }
#else
    memory.usable_size = (size + 2 * MARGIN + 15) / 16 * 16;
    memory.all_size = memory.usable_size;
    memory.all = malloc(memory.all_size);
    if (memory.all == NULL) {
        no_memory();
    }
#endif
    unsigned char *const usable = memory.all + memory.usable_at;
    const size_t margin = HAVE_MMAP ? 0 : MARGIN;
    memset(usable, PATTERN, memory.usable_size);
    memory.data = at_end ? usable + memory.usable_size - margin - size : usable + margin;
    return memory;
}

void guarded_freeze(const guarded *memory) {
#if HAVE_MMAP
    if (mprotect(memory->all + memory->usable_at, memory->usable_size, PROT_READ) != 0) {
        no_memory();
    }
#else
    (void)memory;
#endif
}

static bool is_pattern(const unsigned char *from, const unsigned char *to) {
    for (; from < to; from++) {
        if (*from != PATTERN) {
            return false;
        }
    }
    return true;
}

bool guarded_intact(const guarded *memory) {
    const unsigned char *const usable = memory->all + memory->usable_at;
    return is_pattern(usable, memory->data) &&
           is_pattern(memory->data + memory->size, usable + memory->usable_size);
}

bool guarded_untouched(const guarded *memory) {
    return guarded_intact(memory) && is_pattern(memory->data, memory->data + memory->size);
}

void guarded_free(guarded *memory) {
#if HAVE_MMAP
    munmap(memory->all, memory->all_size);
#else
    free(memory->all);
#endif
    memory->all = NULL;
}
