/* Allocates memory between inaccessible pages (mmap), or between patterns elsewhere, and reports
 * the address of a faulting access through a signal handler. */
#if defined(__unix__) || defined(__APPLE__)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, which C11 alone does not show */
#define _DARWIN_C_SOURCE
#include <setjmp.h>
#include <signal.h>
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

/* The bytes at an end of the memory, and the pattern everywhere. */
static void lay_out(guarded *memory, bool at_end) {
    unsigned char *const usable = memory->all + memory->usable_at;
    const size_t margin = HAVE_MMAP ? 0 : MARGIN;
    memset(usable, PATTERN, memory->usable_size);
    memory->data = at_end ? usable + memory->usable_size - margin - memory->size : usable + margin;
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
    lay_out(&memory, at_end);
    return memory;
}

void guarded_renew(guarded *memory, size_t size, bool at_end) {
    const size_t margins = HAVE_MMAP ? 0 : 2 * MARGIN;
    if (memory->all == NULL || memory->usable_size < size + margins) {
        if (memory->all != NULL) {
            guarded_free(memory);
        }
        *memory = guarded_new(size, at_end);
        return;
    }
    memory->size = size;
    lay_out(memory, at_end);
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

/* Compares each byte with the next one: memcmp takes many at a time. */
static bool is_pattern(const unsigned char *from, const unsigned char *to) {
    return from >= to || (*from == PATTERN && memcmp(from, from + 1, (size_t)(to - from) - 1) == 0);
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

#if HAVE_MMAP
static sigjmp_buf *volatile trial; /* of the thread that tries, NULL while none does */
static const void *volatile touched;
static const char *volatile attempt;

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)context;
    if (trial != NULL) {
        touched = info->si_addr;
        siglongjmp(*trial, 1);
    }
    if (attempt != NULL && write(2, attempt, strlen(attempt)) >= 0) {
        static const char WORDS[] = ": memory that is no array's was touched\n";
        (void)!write(2, WORDS, sizeof WORDS - 1);
    }
    signal(number, SIG_DFL); /* the instruction faults again */
}

const void *guarded_fault(void (*function)(void *), void *state, bool recovers, const char *what) {
    static bool is_installed;
    sigjmp_buf here;
    if (!is_installed) {
        struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
        sigemptyset(&action.sa_mask);
        if (sigaction(SIGSEGV, &action, NULL) != 0 || sigaction(SIGBUS, &action, NULL) != 0) {
            perror("sigaction");
            exit(2);
        }
        is_installed = true;
    }
    touched = NULL;
    attempt = what;
    if (sigsetjmp(here, 1) == 0) {
        trial = recovers ? &here : NULL;
        function(state);
    }
    trial = NULL;
    attempt = NULL;
    return touched;
}

bool guarded_has_pages(void) { return true; }
#else
const void *guarded_fault(void (*function)(void *), void *state, bool recovers, const char *what) {
    (void)recovers;
    (void)what;
    function(state);
    return NULL;
}

bool guarded_has_pages(void) { return false; }
#endif
