/* The tokens of one text after another. Each level splits what the one before it leaves: separators
 * are one level each, an expression or single characters the only one. */
#ifndef OPMILL_TOKENIZER_SPLIT_H
#define OPMILL_TOKENIZER_SPLIT_H

#include <stdbool.h>

#include "families/tokenizer/plan.h"
#include "runtime/regex/search.h"

enum tokenizer_kind {
    TOKENIZER_CHARACTERS, /* every character is a token */
    TOKENIZER_BYTES,      /* single bytes of a set separate tokens */
    TOKENIZER_TEXT,       /* a text separates them */
    TOKENIZER_EXPRESSION, /* matches of an expression separate them */
    TOKENIZER_MATCHES     /* matches of an expression are tokens */
};

typedef struct tokenizer_level {
    int32_t kind;     /* of enum tokenizer_kind */
    const char *text; /* of TOKENIZER_TEXT */
    size_t text_bytes;
    bool members[256]; /* of TOKENIZER_BYTES; a NUL is one, since it ends a text */
    regex_automaton automaton;
    regex_part part; /* what is being split */
    const char *at;  /* where its rest begins; NULL where nothing is left */
} tokenizer_level;

typedef struct tokenizer {
    tokenizer_level *levels;
    int32_t level_count, depth;
    int64_t min_characters;
    size_t string_bytes; /* of all tokens, each with its NUL */
} tokenizer;

/* Bytes of memory for a tokenizer, its levels and expressions. */
uint64_t opmill_tokenizer_bytes(const opmill_tokenizer_plan *plan);

/* Readies a tokenizer in that memory, which is aligned for every type. Returns OPMILL_OK, or sets
 * the error and returns its code. */
int opmill_tokenizer_begin(const opmill_tokenizer_plan *plan, char *memory,
                           opmill_context *context);

/* Begins with a text. */
void opmill_tokenizer_start(tokenizer *split, const char *text, size_t bytes);

/* The next token of the text; false where there is none. */
bool opmill_tokenizer_next(tokenizer *split, regex_part *token);

#endif
