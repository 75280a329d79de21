/* Matches of a regular expression in texts of UTF-8. */
#ifndef OPMILL_REGEX_SEARCH_H
#define OPMILL_REGEX_SEARCH_H

#include <stdbool.h>

#include "runtime/regex/automaton.h"

/* A part of a text. */
typedef struct regex_part {
    const char *begin, *end;
} regex_part;

/* True if the whole text, which ends with NUL, matches. */
bool opmill_regex_matches(regex_automaton *automaton, const char *text);

/* The longest one of the first matches in `text` that begin at `from` or behind it; false where
 * there is none. The time grows linearly with what follows `from`. */
bool opmill_regex_search(regex_automaton *automaton, regex_part text, const char *from,
                         regex_part *match);

#endif
