/* Memory that notices what is read or written beside it: between two pages that cannot be touched,
 * where the system has mmap, and between patterns that are checked. */
#ifndef OPMILL_TEST_GUARDED_H
#define OPMILL_TEST_GUARDED_H

#include <stdbool.h>
#include <stddef.h>

enum { PATTERN = 0xA5 };

typedef struct guarded {
    unsigned char *data; /* `size` bytes, aligned for any element type, full of PATTERN */
    size_t size;
    unsigned char *all; /* private: what is mapped, or allocated */
    size_t all_size;
    size_t usable_at, usable_size;
} guarded;

/* The bytes end where the memory does, or begin where it does. Ends the program without memory. */
guarded guarded_new(size_t size, bool at_end);

/* New bytes in the same memory, which is all zero before the first ones, or in new memory if they
 * do not fit. Not for frozen memory. */
void guarded_renew(guarded *memory, size_t size, bool at_end);

/* From here on the bytes cannot be written, where the system has mprotect. */
void guarded_freeze(const guarded *memory);

/* True if the bytes beside are as they were. */
bool guarded_intact(const guarded *memory);

/* True if no byte was written since it was made. */
bool guarded_untouched(const guarded *memory);

void guarded_free(guarded *memory);

/* True if reads beside the bytes are noticed too: where the system has pages to protect. */
bool guarded_has_pages(void);

/* Calls a function; the address at which it touched a protected page, NULL for none. With
 * `recovers` the function ends there, which suits one that has no threads; without, the program
 * does, with `what` in its last words. */
const void *guarded_fault(void (*function)(void *), void *state, bool recovers, const char *what);

#endif
