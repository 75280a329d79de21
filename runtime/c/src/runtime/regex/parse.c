/* Reads a pattern from its begin to its end and compiles it while it is read. */
#include <string.h>

#include "runtime/regex/program.h"
#include "runtime/call/message.h"
#include "runtime/text/utf8.h"

regex_sizes opmill_regex_sizes(const char *pattern) {
    /* A byte adds at most two instructions, except for counts. */
    const size_t bytes = strlen(pattern), max_code = REGEX_MAX_CODE + REGEX_CODE_SLACK;
    const bool has_counts = strchr(pattern, '{') != NULL;
    return (regex_sizes){
        .code = has_counts || 2 * bytes > REGEX_MAX_CODE ? max_code : 2 * bytes + REGEX_CODE_SLACK,
        .items = bytes + 1,
        .groups = (bytes < REGEX_MAX_DEPTH ? bytes : REGEX_MAX_DEPTH) + 1,
    };
}

void opmill_regex_put_name(opmill_message *message, const regex_pattern *pattern) {
    opmill_put_text(message, pattern->name);
    if (pattern->index >= 0) {
        opmill_put_ints(message, &pattern->index, 1);
    }
}

int opmill_regex_fault(const regex_parser *parser, int32_t at, const char *what,
                       const char *expected) {
    opmill_message message = opmill_contents_begin(parser->context);
    opmill_regex_put_name(&message, parser->source);
    opmill_put_text(&message, " has ");
    opmill_put_text(&message, what);
    opmill_put_text(&message, " at byte ");
    opmill_put_int(&message, at);
    opmill_put_text(&message, ", expected ");
    opmill_put_text(&message, expected);
    return OPMILL_ERROR_CALL;
}

static int check_size(const regex_parser *parser, int64_t size) {
    if (size <= REGEX_MAX_CODE) {
        return OPMILL_OK;
    }
    opmill_message message = opmill_contents_begin(parser->context);
    opmill_regex_put_name(&message, parser->source);
    opmill_put_text(&message, " has more than ");
    opmill_put_int(&message, REGEX_MAX_CODE);
    opmill_put_text(&message, " instructions, expected fewer");
    return OPMILL_ERROR_CALL;
}

static void push(regex_parser *parser, int32_t word, int32_t a, int32_t b) {
    parser->atom = parser->code_count;
    parser->repeats = 1;
    parser->code[parser->code_count++] = (regex_instruction){word, a, b};
}

static void push_item(regex_parser *parser, int32_t word, regex_item item) {
    parser->items[parser->item_count] = item;
    push(parser, word, parser->item_count++, 1);
}

static void push_character(regex_parser *parser, int32_t code) {
    push_item(parser, REGEX_WORD_SET, opmill_regex_range(parser, code, code));
}

/* Moves the instructions from `at` on by one. */
static void insert(regex_parser *parser, int32_t at, regex_instruction instruction) {
    memmove(&parser->code[at + 1], &parser->code[at],
            (size_t)(parser->code_count - at) * sizeof *parser->code);
    parser->code[at] = instruction;
    parser->code_count++;
}

/* Reads a count of up to nine digits without zeros before it; -1 for none. */
static int32_t read_count(const char **text) {
    int32_t count = 0, size = 0;
    if (**text == '0') {
        ++*text;
        return 0;
    }
    while (size < 9 && **text >= '0' && **text <= '9') {
        count = count * 10 + (*(*text)++ - '0');
        size++;
    }
    return size > 0 ? count : -1;
}

/* An operator: from `low` to `high` times; -1 for any number. Returns its bytes, 0 for none. */
static int32_t read_operator(const char *text, int32_t *low, int32_t *high, bool *is_count) {
    const char *next = text + 1;
    *is_count = *text == '{';
    if (*text == '*' || *text == '+' || *text == '?') {
        *low = *text == '+' ? 1 : 0;
        *high = *text == '?' ? 1 : -1;
    } else if (!*is_count) {
        return 0;
    } else {
        *low = *high = read_count(&next);
        if (*low >= 0 && *next == ',') {
            next++;
            *high = read_count(&next);
        }
        if (*low < 0 || *next++ != '}') {
            return 0;
        }
    }
    next += *next == '?';
    return (int32_t)(next - text);
}

/* Repeats the instructions from `atom` on. */
static int repeat(regex_parser *parser, int32_t atom, int32_t low, int32_t high) {
    const int32_t size = parser->code_count - atom;
    const int32_t most = high > 0 ? high : 1;
    const int code = check_size(parser, (int64_t)(low > most ? low : most) * (size + 1) + atom);
    if (code != OPMILL_OK) {
        return code;
    }
    if (high < 0 && low == 0) {
        insert(parser, atom, (regex_instruction){REGEX_WORD_SPLIT, 1, size + 2});
        parser->code[parser->code_count++] = (regex_instruction){REGEX_WORD_JUMP, -size - 1, 0};
        return OPMILL_OK;
    }
    if (low == 0 && high > 0) {
        insert(parser, atom, (regex_instruction){REGEX_WORD_SPLIT, 1, 0});
    }
    const regex_instruction *const block = &parser->code[atom + (low == 0)];
    regex_instruction *next = &parser->code[atom];
    for (int32_t i = 0; i < (high < 0 ? low : high); i++) {
        if (i >= low) {
            *next++ = (regex_instruction){REGEX_WORD_SPLIT, 1, (high - i) * (size + 1)};
        }
        if (next != block) {
            memcpy(next, block, (size_t)size * sizeof *block);
        }
        next += size;
    }
    if (high < 0) {
        *next++ = (regex_instruction){REGEX_WORD_SPLIT, -size, 1};
    }
    parser->code_count = (int32_t)(next - parser->code);
    return OPMILL_OK;
}

static int apply(regex_parser *parser, int32_t bytes, int32_t low, int32_t high, bool is_count) {
    regex_group *const group = &parser->groups[parser->group_count - 1];
    const int32_t start = parser->at;
    parser->at += bytes;
    if (parser->is_repeated || parser->atom < 0) {
        return opmill_regex_fault(parser, start,
                                  parser->is_repeated ? "an operator behind an operator"
                                                      : "an operator without operand",
                                  "something to repeat");
    }
    if (is_count) {
        const int32_t largest = high < 0 ? low : high;
        if (low > REGEX_MAX_REPEATS || largest > REGEX_MAX_REPEATS || largest < low) {
            return opmill_regex_fault(parser, start, "counts out of range",
                                      "ascending numbers up to 1000");
        }
        parser->repeats *= largest > 1 ? largest : 1;
        if (parser->repeats > REGEX_MAX_REPEATS) {
            return opmill_regex_fault(parser, start, "nested repetitions",
                                      "a product of at most 1000");
        }
    }
    const int code = repeat(parser, parser->atom, low, high);
    group->repeats = parser->repeats > group->repeats ? parser->repeats : group->repeats;
    parser->is_repeated = true;
    return code;
}

static void add_alternative(regex_parser *parser) {
    regex_group *const group = &parser->groups[parser->group_count - 1];
    insert(parser, group->branch,
           (regex_instruction){REGEX_WORD_SPLIT, 1, parser->code_count - group->branch + 2});
    parser->code[parser->code_count] = (regex_instruction){REGEX_WORD_JUMP, group->last_jump, 0};
    group->last_jump = parser->code_count++;
    group->branch = parser->code_count;
    parser->atom = -1;
}

/* The characters between "\Q" and "\E", or the end of the pattern. */
static int read_quoted(regex_parser *parser) {
    const char *text = parser->pattern + parser->at + 2;
    const char *const mark = strstr(text, "\\E");
    const char *const end = mark != NULL ? mark : text + strlen(text);
    int32_t bytes, count = 0;
    for (const char *next = text; next < end; next += bytes) {
        (void)opmill_utf8_read(next, &bytes);
        count++;
    }
    const int code = check_size(parser, (int64_t)parser->code_count + count);
    for (; text < end && code == OPMILL_OK; text += bytes) {
        push_character(parser, opmill_utf8_read(text, &bytes));
        parser->is_repeated = false;
    }
    parser->at = (int32_t)(end - parser->pattern) + (mark != NULL ? 2 : 0);
    return code;
}

/* A class in brackets, an escape that is a class, or a character. */
static int read_set(regex_parser *parser, int32_t start) {
    int code;
    if (parser->pattern[start] == '[') {
        const int32_t first = parser->item_count;
        bool is_negated;
        code = opmill_regex_bracket(parser, start, &is_negated);
        push(parser, is_negated ? REGEX_WORD_OTHERS : REGEX_WORD_SET, first,
             parser->item_count - first);
        return code;
    }
    regex_item item;
    int32_t character;
    bool is_class = false;
    parser->at = start;
    code = parser->pattern[start] == '\\' ? opmill_regex_named_class(parser, &item, &is_class)
                                          : OPMILL_OK;
    if (code == OPMILL_OK && is_class) {
        push_item(parser, REGEX_WORD_SET, item);
    } else if (code == OPMILL_OK) {
        code = opmill_regex_one(parser, &character);
        if (code == OPMILL_OK) {
            push_character(parser, character);
        }
    }
    return code;
}

static void push_dot(regex_parser *parser) {
    if ((parser->flags & REGEX_FLAG_DOT_ALL) != 0) {
        push(parser, REGEX_WORD_OTHERS, parser->item_count, 0);
    } else {
        push_item(parser, REGEX_WORD_OTHERS, (regex_item){.low = '\n', .high = '\n'});
    }
}

/* What a '\' and a letter say of a position; -1 for something else. */
static int32_t assertion_of(const char *text) {
    if (text[0] != '\\') {
        return -1;
    }
    return text[1] == 'A'   ? REGEX_ASSERT_TEXT_BEGIN
           : text[1] == 'z' ? REGEX_ASSERT_TEXT_END
           : text[1] == 'b' ? REGEX_ASSERT_BOUNDARY
           : text[1] == 'B' ? REGEX_ASSERT_INSIDE
                            : -1;
}

/* The next character, escape, class, group or operator. */
static int read_item(regex_parser *parser) {
    const int32_t start = parser->at;
    const char *const text = parser->pattern + start;
    const bool has_lines = (parser->flags & REGEX_FLAG_LINES) != 0;
    int32_t low, high;
    bool is_count;
    const int32_t bytes = read_operator(text, &low, &high, &is_count);
    if (bytes > 0) {
        return apply(parser, bytes, low, high, is_count);
    }
    if (text[0] == '\\' && text[1] == 'Q') {
        return read_quoted(parser);
    }
    parser->is_repeated = false;
    parser->at++;
    switch (*text) {
    case '(':
        return opmill_regex_open_group(parser, start);
    case ')':
        if (parser->group_count == 1) {
            return opmill_regex_fault(parser, start, "')' without a group", "'(' before it");
        }
        opmill_regex_end_group(parser);
        return OPMILL_OK;
    case '|':
        add_alternative(parser);
        return OPMILL_OK;
    case '^':
        push(parser, REGEX_WORD_ASSERT,
             has_lines ? REGEX_ASSERT_LINE_BEGIN : REGEX_ASSERT_TEXT_BEGIN, 0);
        return OPMILL_OK;
    case '$':
        push(parser, REGEX_WORD_ASSERT, has_lines ? REGEX_ASSERT_LINE_END : REGEX_ASSERT_TEXT_END,
             0);
        return OPMILL_OK;
    case '.':
        push_dot(parser);
        return OPMILL_OK;
    default:
        break;
    }
    const int32_t assertion = assertion_of(text);
    if (assertion < 0) {
        return read_set(parser, start);
    }
    push(parser, REGEX_WORD_ASSERT, assertion, 0);
    parser->at++;
    return OPMILL_OK;
}

int opmill_regex_parse(regex_parser *parser) {
    int code = OPMILL_OK;
    parser->pattern = parser->source->text;
    parser->at = parser->code_count = parser->item_count = 0;
    parser->flags = 0;
    parser->atom = -1;
    parser->repeats = 1;
    parser->is_repeated = false;
    parser->groups[0] = (regex_group){.last_jump = -1, .repeats = 1};
    parser->group_count = 1;
    while (code == OPMILL_OK && parser->pattern[parser->at] != '\0') {
        code = read_item(parser);
        if (code == OPMILL_OK) {
            code = check_size(parser, parser->code_count);
        }
    }
    if (code == OPMILL_OK && parser->group_count > 1) {
        code = opmill_regex_fault(parser, parser->groups[parser->group_count - 1].at,
                                  "a group without end", "')' behind it");
    }
    if (code == OPMILL_OK) {
        opmill_regex_close_group(parser, &parser->groups[0]);
    }
    return code;
}
