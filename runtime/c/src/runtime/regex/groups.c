/* Opens and closes groups, with their flags and names. */
#include <string.h>

#include "runtime/regex/program.h"
#include "runtime/text/utf8.h"

void opmill_regex_close_group(const regex_parser *parser, const regex_group *group) {
    for (int32_t at = group->last_jump; at >= 0;) {
        const int32_t before = parser->code[at].a;
        parser->code[at].a = parser->code_count - at;
        at = before;
    }
}

void opmill_regex_end_group(regex_parser *parser) {
    const regex_group *const group = &parser->groups[--parser->group_count];
    regex_group *const outer = &parser->groups[parser->group_count - 1];
    opmill_regex_close_group(parser, group);
    parser->flags = group->flags;
    parser->atom = group->start;
    parser->repeats = group->repeats;
    outer->repeats = group->repeats > outer->repeats ? group->repeats : outer->repeats;
}

/* Reads letters of flags, which may be none; returns what follows. */
static const char *read_flags(const char *text, uint32_t *flags) {
    static const char LETTERS[] = "imsU";
    for (*flags = 0; *text != '\0'; text++) {
        const char *const letter = strchr(LETTERS, *text);
        if (letter == NULL) {
            break;
        }
        *flags |= UINT32_C(1) << (letter - LETTERS);
    }
    return text;
}

/* Reads the name of a group, "(?P<name>" or "(?<name>". `is_there` is false where there is none. */
static int read_group_name(regex_parser *parser, int32_t start, bool *is_there) {
    const char *const text = parser->pattern + start;
    const char *name = text + 2 + (text[2] == 'P');
    const char *const end = *name == '<' ? strchr(name, '>') : NULL;
    *is_there = end != NULL;
    if (end == NULL) {
        return OPMILL_OK;
    }
    bool is_fit = ++name < end;
    for (int32_t bytes; name < end && is_fit; name += bytes) {
        is_fit = opmill_regex_is_word(opmill_utf8_read(name, &bytes));
    }
    parser->at = (int32_t)(end + 1 - parser->pattern);
    return is_fit ? OPMILL_OK
                  : opmill_regex_fault(parser, start, "an unfit name of a group",
                                       "letters, digits and '_'");
}

/* Reads flags behind "(?", which a ')' ends or a ':'. */
static int read_group_flags(regex_parser *parser, int32_t start, bool *is_group) {
    uint32_t set, cleared = 0;
    const char *const text = parser->pattern + start + 2;
    const char *next = read_flags(text, &set);
    bool is_legal = true;
    if (*next == '-') {
        next = read_flags(next + 1, &cleared);
        is_legal = cleared != 0;
    }
    if (!is_legal || (*next != ':' && *next != ')')) {
        return opmill_regex_fault(parser, start, "an unknown group",
                                  "flags of 'imsU', a name or ':' behind '(?'");
    }
    parser->flags = (parser->flags | set) & ~cleared;
    parser->at = (int32_t)(next + 1 - parser->pattern);
    *is_group = *next == ':';
    return OPMILL_OK;
}

static bool is_lookaround(const char *text) {
    const char *const next = text[1] == '?' ? text + 2 + (text[2] == '<') : text;
    return text[1] == '?' && (*next == '=' || *next == '!');
}

int opmill_regex_open_group(regex_parser *parser, int32_t start) {
    const uint32_t before = parser->flags;
    const char *const text = parser->pattern + start;
    bool is_named = false, is_group = true;
    int code = OPMILL_OK;
    if (is_lookaround(text)) {
        return opmill_regex_fault(parser, start, "a lookaround", "a pattern without one");
    }
    if (text[1] == '?') {
        code = read_group_name(parser, start, &is_named);
        if (code == OPMILL_OK && !is_named) {
            code = read_group_flags(parser, start, &is_group);
        }
    }
    if (code != OPMILL_OK || !is_group) {
        return code;
    }
    if (parser->group_count > REGEX_MAX_DEPTH) {
        return opmill_regex_fault(parser, start, "nested groups", "at most 1000");
    }
    parser->groups[parser->group_count++] =
        (regex_group){before, parser->code_count, parser->code_count, start, -1, 1};
    parser->atom = -1;
    return OPMILL_OK;
}
