/* Reads escapes and classes of characters. */
#include <string.h>

#include "runtime/regex/program.h"
#include "runtime/text/utf8.h"

regex_item opmill_regex_range(const regex_parser *parser, int32_t low, int32_t high) {
    return (regex_item){
        .low = low, .high = high, .folds = (parser->flags & REGEX_FLAG_ANY_CASE) != 0};
}

static int32_t digit_of(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 16;
}

/* The code of an octal or hexadecimal escape behind its '\', and its bytes; 0 bytes for none. A
 * code that no character has is one above them. */
static int32_t read_number(const char *text, int32_t *code) {
    int32_t size = 0;
    *code = 0;
    if (text[0] >= '0' && text[0] <= '7') {
        while (size < 3 && text[size] >= '0' && text[size] <= '7') {
            *code = *code * 8 + digit_of(text[size++]);
        }
        return text[0] == '0' || size > 1 ? size : 0;
    }
    if (text[0] != 'x') {
        return 0;
    }
    if (text[1] != '{') {
        const int32_t high = digit_of(text[1]), low = high < 16 ? digit_of(text[2]) : 16;
        *code = high * 16 + low;
        return low < 16 ? 3 : 0;
    }
    for (size = 2; digit_of(text[size]) < 16; size++) {
        *code = *code * 16 + digit_of(text[size]);
        *code = *code > REGEX_MAX_CHARACTER ? REGEX_MAX_CHARACTER + 1 : *code;
    }
    return size > 2 && text[size] == '}' ? size + 1 : 0;
}

int opmill_regex_one(regex_parser *parser, int32_t *code) {
    static const char ESCAPES[] = "afnrtv", CODES[] = "\a\f\n\r\t\v";
    const int32_t start = parser->at;
    const char *const text = parser->pattern + start;
    int32_t bytes;
    if (*text != '\\') {
        *code = opmill_utf8_read(text, &bytes);
        parser->at += bytes;
        return OPMILL_OK;
    }
    if (text[1] == '\0') {
        return opmill_regex_fault(parser, start, "'\\' at its end", "a character behind it");
    }
    const char *const escape = strchr(ESCAPES, text[1]);
    const unsigned char c = (unsigned char)text[1];
    const bool is_alphanumeric = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    if (escape != NULL || (c < 0x80 && !is_alphanumeric)) {
        *code = escape != NULL ? CODES[escape - ESCAPES] : c;
        parser->at += 2;
        return OPMILL_OK;
    }
    bytes = read_number(text + 1, code);
    if (bytes > 0 && *code <= REGEX_MAX_CHARACTER) {
        parser->at += 1 + bytes;
        return OPMILL_OK;
    }
    if (bytes == 0 && c >= '1' && c <= '9') {
        return opmill_regex_fault(parser, start, "a backreference", "a pattern without one");
    }
    if (bytes == 0 && c == 'C') {
        return opmill_regex_fault(parser, start, "the escape '\\C' of a byte", "'.', a character");
    }
    return opmill_regex_fault(parser, start, "an unknown escape", "one of RE2's");
}

/* The name of a class behind '\p' or between '[:' and ':]': its first byte and its size. Returns
 * the bytes of the whole, or 0 where there is none. */
static int32_t read_name(const char *text, const char **name, size_t *size) {
    if (text[0] == '[') {
        const char *const end = strstr(text + 2, ":]");
        *name = text + 2;
        *size = end != NULL ? (size_t)(end - *name) : 0;
        return end != NULL ? (int32_t)*size + 4 : 0;
    }
    if (text[2] == '{') {
        const char *const end = strchr(text + 3, '}');
        *name = text + 3;
        *size = end != NULL ? (size_t)(end - *name) : 0;
        return end != NULL ? (int32_t)*size + 4 : 0;
    }
    if (text[2] == '\0') {
        return 0;
    }
    int32_t bytes;
    (void)opmill_utf8_read(text + 2, &bytes);
    *name = text + 2;
    *size = (size_t)bytes;
    return 2 + bytes;
}

/* A class of Perl, whose capital letters mean all other characters. */
static regex_item perl_class(const regex_parser *parser, char letter) {
    regex_item item = opmill_regex_range(parser, 0, 0);
    const bool is_space = (letter | 0x20) == 's';
    item.named = is_space                 ? opmill_regex_class("s", 1)
                 : (letter | 0x20) == 'd' ? opmill_regex_class("digit", 5)
                                          : opmill_regex_class("word", 4);
    item.is_negated = letter < 'a';
    return item;
}

int opmill_regex_named_class(regex_parser *parser, regex_item *item, bool *is_there) {
    const char *const text = parser->pattern + parser->at;
    const bool is_posix = text[0] == '[' && text[1] == ':';
    const bool is_unicode = text[0] == '\\' && (text[1] == 'p' || text[1] == 'P');
    const char *name;
    size_t size;
    *is_there = true;
    if (text[0] == '\\' && text[1] != '\0' && strchr("dswDSW", text[1]) != NULL) {
        *item = perl_class(parser, text[1]);
        parser->at += 2;
        return OPMILL_OK;
    }
    const int32_t bytes = is_posix || is_unicode ? read_name(text, &name, &size) : 0;
    if (bytes == 0) {
        *is_there = false;
        return is_unicode ? opmill_regex_fault(parser, parser->at, "a class without name",
                                               "one of Unicode's categories")
                          : OPMILL_OK;
    }
    const bool is_other = size > 0 && name[0] == '^';
    name += is_other;
    size -= is_other;
    *item = opmill_regex_range(parser, 0, REGEX_MAX_CHARACTER);
    item->is_negated = is_other != (text[1] == 'P');
    const int32_t start = parser->at;
    parser->at += bytes;
    if (is_posix) {
        item->named = size > 1 ? opmill_regex_class(name, size) : NULL;
        return item->named != NULL
                   ? OPMILL_OK
                   : opmill_regex_fault(parser, start, "an unknown class", "a name of POSIX");
    }
    if (size == 3 && memcmp(name, "Any", 3) == 0) {
        return OPMILL_OK;
    }
    item->categories = opmill_regex_categories(name, size);
    return item->categories != 0 ? OPMILL_OK
                                 : opmill_regex_fault(parser, start, "an unknown class",
                                                      "one of Unicode's categories");
}

/* A character of a class, or two with a hyphen between. */
static int read_range(regex_parser *parser, regex_item *item) {
    const int32_t start = parser->at;
    int32_t low, high;
    int code = opmill_regex_one(parser, &low);
    if (code != OPMILL_OK) {
        return code;
    }
    const char *const text = parser->pattern + parser->at;
    high = low;
    if (text[0] == '-' && text[1] != '\0' && text[1] != ']') {
        parser->at++;
        code = opmill_regex_one(parser, &high);
        if (code == OPMILL_OK && high < low) {
            code = opmill_regex_fault(parser, start, "a descending range", "an ascending one");
        }
    }
    *item = opmill_regex_range(parser, low, high);
    return code;
}

int opmill_regex_bracket(regex_parser *parser, int32_t start, bool *is_negated) {
    const int32_t first = parser->item_count;
    *is_negated = parser->pattern[parser->at] == '^';
    parser->at += *is_negated;
    while (parser->item_count == first || parser->pattern[parser->at] != ']') {
        if (parser->pattern[parser->at] == '\0') {
            return opmill_regex_fault(parser, start, "a class without end", "']' behind it");
        }
        regex_item *const item = &parser->items[parser->item_count];
        bool is_there;
        int code = opmill_regex_named_class(parser, item, &is_there);
        if (code == OPMILL_OK && !is_there) {
            code = read_range(parser, item);
        }
        if (code != OPMILL_OK) {
            return code;
        }
        parser->item_count++;
    }
    parser->at++;
    return OPMILL_OK;
}
