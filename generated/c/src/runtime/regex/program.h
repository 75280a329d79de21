/* The program of a regular expression, and the parser that writes it. Jumps are relative, so that
 * the operand of an operator can be moved and copied as it is. */
#ifndef OPMILL_REGEX_PROGRAM_H
#define OPMILL_REGEX_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"
#include "runtime/call/message.h"
#include "runtime/regex/characters.h"

enum {
    REGEX_MAX_CODE = 20000,
    REGEX_MAX_REPEATS = 1000,
    REGEX_MAX_DEPTH = 1000,
    REGEX_CODE_SLACK =
        4 /* instructions that an item of a pattern adds before their number is checked */
};

enum regex_word {
    REGEX_WORD_SET,    /* takes a character that one of the items a to a + b - 1 means */
    REGEX_WORD_OTHERS, /* takes a character that none of them means */
    REGEX_WORD_SPLIT,  /* goes on a instructions further, and b instructions further */
    REGEX_WORD_JUMP,   /* goes on a instructions further */
    REGEX_WORD_ASSERT  /* goes on where the position is of the kind a */
};

enum regex_assertion {
    REGEX_ASSERT_TEXT_BEGIN,
    REGEX_ASSERT_TEXT_END,
    REGEX_ASSERT_LINE_BEGIN,
    REGEX_ASSERT_LINE_END,
    REGEX_ASSERT_BOUNDARY,
    REGEX_ASSERT_INSIDE
};

typedef struct regex_instruction {
    int32_t word; /* of enum regex_word */
    int32_t a, b;
} regex_instruction;

/* Flags of a pattern, as bits. */
enum {
    REGEX_FLAG_ANY_CASE = 1,
    REGEX_FLAG_LINES = 2,
    REGEX_FLAG_DOT_ALL = 4,
    REGEX_FLAG_UNGREEDY = 8
};

/* A group that is open. */
typedef struct regex_group {
    uint32_t flags;    /* those that hold again behind it */
    int32_t start;     /* where it begins in the program */
    int32_t branch;    /* where its last alternative begins */
    int32_t at;        /* where it begins in the pattern */
    int32_t last_jump; /* the last jump to its end, which has the one before it as `a`; -1: none */
    int32_t repeats;   /* the largest number of repetitions in it, nested ones multiplied */
} regex_group;

/* A pattern, and what messages call it: `name`, or an element of the list of that name. */
typedef struct regex_pattern {
    const char *text;
    const char *name;
    int64_t index; /* negative where it is no element of a list */
} regex_pattern;

/* Reads a pattern and compiles it. The caller sets the first members. */
typedef struct regex_parser {
    opmill_context *context;
    const regex_pattern *source;
    const char *pattern; /* the text of the source */
    regex_instruction *code;
    regex_item *items;
    regex_group *groups;
    int32_t at;
    int32_t code_count, item_count, group_count;
    uint32_t flags;
    int32_t atom;    /* where the operand of a following operator begins in the program; -1: none */
    int32_t repeats; /* the largest number of repetitions in it */
    bool is_repeated;
} regex_parser;

/* The maximum sizes of the program of a pattern, its items, and the groups that are open at once.
 */
typedef struct regex_sizes {
    size_t code, items, groups;
} regex_sizes;

regex_sizes opmill_regex_sizes(const char *pattern);

/* Compiles the pattern. Returns OPMILL_OK, or sets the error and returns its code. */
int opmill_regex_parse(regex_parser *parser);

/* The name of a pattern in a message. */
void opmill_regex_put_name(opmill_message *message, const regex_pattern *pattern);

/* Sets the error "<name> has <what> at byte <at>, expected <expected>" and returns its code. */
int opmill_regex_fault(const regex_parser *parser, int32_t at, const char *what,
                       const char *expected);

/* Reads a character, or an escape for one. */
int opmill_regex_one(regex_parser *parser, int32_t *code);

/* Reads an escape or a name that is a class of characters; `is_there` is false where there is none,
 * and nothing is read. */
int opmill_regex_named_class(regex_parser *parser, regex_item *item, bool *is_there);

/* Reads the rest of a class in brackets; its items follow each other. */
int opmill_regex_bracket(regex_parser *parser, int32_t start, bool *is_negated);

/* Reads what follows a '(': the name of a group, flags, or nothing. */
int opmill_regex_open_group(regex_parser *parser, int32_t start);

/* Ends the innermost group, which is the operand of a following operator. */
void opmill_regex_end_group(regex_parser *parser);

/* Lets the alternatives of a group jump to its end. */
void opmill_regex_close_group(const regex_parser *parser, const regex_group *group);

/* An item for characters from `low` to `high`. */
regex_item opmill_regex_range(const regex_parser *parser, int32_t low, int32_t high);

#endif
