/* Levels are run as nested loops. Separators of one byte are looked up in a table, as is a run of
 * them: empty tokens are dropped in any case. */
#include "families/tokenizer/split.h"

#include <string.h>

#include "runtime/text/utf8.h"

enum { MAX_BYTES = 4096 /* of a separator */ };

static size_t aligned(uint64_t bytes) { return (size_t)((bytes + 15) / 16 * 16); }

/* True if an expression is not empty and matches itself alone. */
static bool is_plain(const char *text) {
    return text[0] != '\0' && text[strcspn(text, "\\.+*?()|[]{}^$")] == '\0';
}

/* The number of separators; 0 where an expression matches tokens. */
static int64_t separator_count(const opmill_tokenizer_plan *plan) {
    return plan->separators.type == OPMILL_UNDEFINED ? 0 : plan->separators.dims[0];
}

static const char *const *separators_of(const opmill_tokenizer_plan *plan) {
    return plan->separators.data;
}

static bool is_longer(const char *text) { return strlen(text) > MAX_BYTES; }

uint64_t opmill_tokenizer_bytes(const opmill_tokenizer_plan *plan) {
    const int64_t count = separator_count(plan);
    const uint64_t levels = count > 0 ? (uint64_t)count : 1;
    if (levels > UINT32_MAX) {
        return UINT64_MAX;
    }
    uint64_t bytes = aligned(sizeof(tokenizer)) + levels * aligned(sizeof(tokenizer_level));
    if (count == 0) {
        bytes += aligned(opmill_regex_bytes(plan->tokenexp));
    }
    for (int64_t i = 0; i < count; i++) {
        const char *const text = separators_of(plan)[i];
        if (!is_plain(text) && !is_longer(text)) {
            bytes += aligned(opmill_regex_bytes(text));
        }
    }
    return bytes;
}

/* Adds an ASCII character to the set of a level of bytes, which follows another one as a part of
 * it.
 */
static void add_members(tokenizer *split, const bool members[128]) {
    const bool follows =
        split->level_count > 0 && split->levels[split->level_count - 1].kind == TOKENIZER_BYTES;
    tokenizer_level *const level = &split->levels[split->level_count - follows];
    if (!follows) {
        memset(level, 0, sizeof *level);
        level->kind = TOKENIZER_BYTES;
        split->level_count++;
    }
    for (int32_t i = 0; i < 128; i++) {
        level->members[i] = level->members[i] || members[i];
    }
}

static void add_text(tokenizer *split, const char *text) {
    const size_t bytes = strlen(text);
    if (bytes == 1) {
        bool members[128] = {false};
        members[(unsigned char)text[0] & 127] = true;
        add_members(split, members);
        return;
    }
    tokenizer_level *const level = &split->levels[split->level_count++];
    memset(level, 0, sizeof *level);
    level->kind = TOKENIZER_TEXT;
    level->text = text;
    level->text_bytes = bytes;
}

/* True if an item means characters of ASCII alone. */
static bool is_ascii(const regex_item *item) {
    const bool is_class = item->named != NULL;
    return !item->is_negated && !item->folds && item->categories == 0 &&
           (is_class || item->high < 128);
}

/* True if an expression matches one character of ASCII, or a run of such ones, and sets which. */
static bool is_set(const regex_automaton *automaton, bool members[128]) {
    const regex_instruction *const code = automaton->code;
    const bool is_run =
        automaton->code_count == 2 && code[1].word == REGEX_WORD_SPLIT && code[1].a == -1;
    if ((automaton->code_count != 1 && !is_run) || code[0].word != REGEX_WORD_SET) {
        return false;
    }
    for (int32_t i = 0; i < code[0].b; i++) {
        if (!is_ascii(&automaton->items[code[0].a + i])) {
            return false;
        }
    }
    for (int32_t c = 0; c < 128; c++) {
        members[c] = false;
        for (int32_t i = 0; i < code[0].b && c > 0; i++) {
            members[c] = members[c] || opmill_regex_has(&automaton->items[code[0].a + i], c);
        }
    }
    return true;
}

static int add_separator(tokenizer *split, const regex_pattern *pattern, char *memory,
                         opmill_context *context) {
    if (is_longer(pattern->text)) {
        opmill_message message = opmill_contents_begin(context);
        opmill_regex_put_name(&message, pattern);
        opmill_put_text(&message, " has ");
        opmill_put_int(&message, (int64_t)strlen(pattern->text));
        opmill_put_text(&message, " bytes, expected at most 4096");
        return OPMILL_ERROR_CALL;
    }
    if (is_plain(pattern->text)) {
        add_text(split, pattern->text);
        return OPMILL_OK;
    }
    tokenizer_level *const level = &split->levels[split->level_count];
    bool members[128];
    memset(level, 0, sizeof *level);
    level->kind = TOKENIZER_EXPRESSION;
    const int code = opmill_regex_compile(&level->automaton, pattern, memory, context);
    if (code == OPMILL_OK && is_set(&level->automaton, members)) {
        add_members(split, members);
    } else {
        split->level_count++;
    }
    return code;
}

static int add_separators(tokenizer *split, const opmill_tokenizer_plan *plan, char *memory,
                          opmill_context *context) {
    const int64_t count = separator_count(plan);
    int code = OPMILL_OK;
    for (int64_t i = 0; i < count && code == OPMILL_OK; i++) {
        const regex_pattern pattern = {separators_of(plan)[i], "separators", i};
        code = add_separator(split, &pattern, memory, context);
        if (!is_plain(pattern.text) && !is_longer(pattern.text)) {
            memory += aligned(opmill_regex_bytes(pattern.text));
        }
    }
    return code;
}

int opmill_tokenizer_begin(const opmill_tokenizer_plan *plan, char *memory,
                           opmill_context *context) {
    const int64_t count = separator_count(plan);
    tokenizer *const split = (tokenizer *)(void *)memory;
    memory += aligned(sizeof *split);
    *split = (tokenizer){.levels = (tokenizer_level *)(void *)memory,
                         .min_characters = plan->mincharnum};
    memory += (size_t)(count > 0 ? count : 1) * aligned(sizeof(tokenizer_level));
    const bool by_characters = count == 0   ? strcmp(plan->tokenexp, ".") == 0
                               : count == 1 ? separators_of(plan)[0][0] == '\0'
                                            : false;
    if (count > 0 && !by_characters) {
        return add_separators(split, plan, memory, context);
    }
    tokenizer_level *const level = &split->levels[split->level_count++];
    memset(level, 0, sizeof *level);
    level->kind = by_characters ? TOKENIZER_CHARACTERS : TOKENIZER_MATCHES;
    if (!by_characters) {
        const regex_pattern pattern = {plan->tokenexp, "tokenexp", -1};
        return opmill_regex_compile(&level->automaton, &pattern, memory, context);
    }
    if (plan->mincharnum > 1) {
        opmill_message message = opmill_contents_begin(context);
        opmill_put_text(&message, "mincharnum is ");
        opmill_put_int(&message, plan->mincharnum);
        opmill_put_text(&message, ", expected 1 for single characters");
        return OPMILL_ERROR_CALL;
    }
    return OPMILL_OK;
}

void opmill_tokenizer_start(tokenizer *split, const char *text, size_t bytes) {
    split->depth = 1;
    split->levels[0].part = (regex_part){text, text + bytes};
    split->levels[0].at = text;
}

static int32_t bytes_at(const char *at) {
    int32_t bytes;
    (void)opmill_utf8_read(at, &bytes);
    return bytes;
}

/* The first occurrence of a text between two addresses; NULL without one. */
static const char *find_text(const tokenizer_level *level, const char *at, const char *end) {
    const size_t bytes = level->text_bytes;
    while ((size_t)(end - at) >= bytes) {
        at = memchr(at, level->text[0], (size_t)(end - at) - bytes + 1);
        if (at == NULL || memcmp(at, level->text, bytes) == 0) {
            return at;
        }
        at++;
    }
    return NULL;
}

/* The next match of a level in its rest. The rest behind it begins after a character where the
 * match is empty. */
static bool next_match(tokenizer_level *level, regex_part *match) {
    const char *const end = level->part.end;
    if (level->kind == TOKENIZER_TEXT) {
        match->begin = find_text(level, level->at, end);
        if (match->begin == NULL) {
            return false;
        }
        match->end = match->begin + level->text_bytes;
    } else if (!opmill_regex_search(&level->automaton, level->part, level->at, match)) {
        return false;
    }
    level->at = match->end > match->begin ? match->end
                : match->end < end        ? match->end + bytes_at(match->end)
                                          : NULL;
    return true;
}

/* The next part that bytes separate; never an empty one. */
static bool next_between_bytes(tokenizer_level *level, regex_part *part) {
    const bool *const members = level->members;
    const char *const end = level->part.end;
    const char *at = level->at;
    while (at < end && members[(unsigned char)*at]) {
        at++;
    }
    part->begin = at;
    while (at < end && !members[(unsigned char)*at]) {
        at++;
    }
    part->end = level->at = at;
    return part->begin < at;
}

static bool next_part(tokenizer_level *level, regex_part *part) {
    regex_part match;
    const char *const start = level->at;
    if (start == NULL) {
        return false;
    }
    switch (level->kind) {
    case TOKENIZER_CHARACTERS:
        if (start == level->part.end) {
            return false;
        }
        level->at = start + bytes_at(start);
        *part = (regex_part){start, level->at};
        return true;
    case TOKENIZER_BYTES:
        return next_between_bytes(level, part);
    case TOKENIZER_MATCHES:
        return next_match(level, part);
    default:
        if (next_match(level, &match)) {
            *part = (regex_part){start, match.begin};
        } else {
            *part = (regex_part){start, level->part.end};
            level->at = NULL;
        }
        return true;
    }
}

/* True if a part has as many characters as tokens have at least. */
static bool is_long_enough(const tokenizer *split, regex_part part) {
    const int64_t bytes = part.end - part.begin;
    if (split->min_characters == 1 || bytes < split->min_characters) {
        return bytes >= split->min_characters;
    }
    int64_t count = 0;
    for (const char *at = part.begin; at < part.end; at++) {
        count += (*at & 0xC0) != 0x80;
    }
    return count >= split->min_characters;
}

bool opmill_tokenizer_next(tokenizer *split, regex_part *token) {
    while (split->depth > 0) {
        regex_part part;
        if (!next_part(&split->levels[split->depth - 1], &part)) {
            split->depth--;
            continue;
        }
        if (is_long_enough(split, part)) {
            if (split->depth == split->level_count) {
                *token = part;
                return true;
            }
            tokenizer_level *const next = &split->levels[split->depth++];
            next->part = part;
            next->at = part.begin;
        } else if (split->levels[0].kind == TOKENIZER_MATCHES && part.begin < part.end) {
            split->levels[0].at = part.begin + bytes_at(part.begin); /* search again behind it */
        }
    }
    return false;
}
