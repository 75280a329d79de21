/* Characters of regular expressions: their categories, their cases, and classes with a name. */
#ifndef OPMILL_REGEX_CHARACTERS_H
#define OPMILL_REGEX_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGEX_MAX_CHARACTER = 0x10FFFF };

/* A member of a class: characters from `low` to `high`; where there is a `named` class, its
 * characters; where there are `categories`, those of Unicode whose bits are set. */
typedef struct regex_item {
    const struct regex_class *named;
    uint32_t categories;
    int32_t low, high;
    bool is_negated; /* whether all other characters are meant */
    bool folds;      /* whether a character is meant in any case */
} regex_item;

/* True if an item means a character. */
bool opmill_regex_has(const regex_item *item, int32_t code);

/* A class of POSIX or of Perl, by the bytes of its name; NULL for none. */
const struct regex_class *opmill_regex_class(const char *name, size_t size);

/* The categories of Unicode whose names begin with these bytes; 0 for none. */
uint32_t opmill_regex_categories(const char *name, size_t size);

/* True if a name may contain a character: a letter, a number or '_'. */
bool opmill_regex_is_word(int32_t code);

#endif
