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

/* From here on the bytes cannot be written, where the system has mprotect. */
void guarded_freeze(const guarded *memory);

/* Whether the bytes beside are as they were. */
bool guarded_intact(const guarded *memory);

/* Whether no byte was written since it was made. */
bool guarded_untouched(const guarded *memory);

void guarded_free(guarded *memory);

#endif
