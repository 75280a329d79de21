/* A search tries one begin after another, which is fast, as most fail at their first character.
 * Where failures add up to more than the text, it follows the threads from all begins at once. */
#include "runtime/regex/search.h"

#include "runtime/text/utf8.h"

enum {
    CODE_END = -1, /* instead of a character behind the last one */
    FAILED_EACH = 4,
    FAILED = 1000 /* characters that failures may take, for each one of the text and in any case */
};

static int32_t read(const char *at, const char *end, int32_t *bytes) {
    *bytes = 1;
    return at == end ? CODE_END : (*at & 0x80) == 0 ? *at : opmill_utf8_read(at, bytes);
}

bool opmill_regex_matches(regex_automaton *automaton, const char *text) {
    int32_t number = opmill_regex_first_state(automaton, REGEX_KIND_END);
    for (int32_t bytes; *text != '\0'; text += bytes) {
        const int32_t code = opmill_utf8_read(text, &bytes);
        number = opmill_regex_next(automaton, number, code);
        if (number == REGEX_STATE_DEAD) {
            return false;
        }
    }
    return opmill_regex_is_end(automaton, number, REGEX_KIND_END);
}

/* The end of the longest match that begins at `at`; NULL without one. `stopped` is where no thread
 * was left. */
static const char *longest(regex_automaton *automaton, const char *at, const char *end,
                           int32_t before, const char **stopped) {
    const char *found = NULL;
    int32_t number = opmill_regex_first_state(automaton, before), bytes;
    for (;; at += bytes) {
        const int32_t code = read(at, end, &bytes);
        if (opmill_regex_is_end(automaton, number, opmill_regex_kind(code))) {
            found = at;
        }
        if (code == CODE_END) {
            break;
        }
        number = opmill_regex_next(automaton, number, code);
        if (number == REGEX_STATE_DEAD) {
            break;
        }
    }
    *stopped = at;
    return found;
}

/* The number of `taken`, which become the threads. */
static int32_t turn(regex_automaton *automaton, int32_t count) {
    int32_t *const threads = automaton->threads;
    size_t *const starts = automaton->starts;
    automaton->threads = automaton->taken;
    automaton->taken = threads;
    automaton->starts = automaton->taken_starts;
    automaton->taken_starts = starts;
    return count;
}

/* Searches with threads from all begins, the first one before the others. */
static bool search_all(regex_automaton *automaton, const char *from, const char *end,
                       int32_t before, regex_part *match) {
    int32_t count = 0, bytes;
    match->begin = NULL;
    for (const char *at = from;; at += bytes) {
        const int32_t code = read(at, end, &bytes);
        int32_t taken = 0;
        if (match->begin == NULL) {
            automaton->threads[count] = 0;
            automaton->starts[count++] = (size_t)(at - from);
        }
        opmill_regex_begin_step(automaton);
        for (int32_t i = 0; i < count; i++) {
            const size_t start = automaton->starts[i];
            if (match->begin != NULL && from + start > match->begin) {
                break;
            }
            automaton->has_ended = false;
            const int32_t all =
                opmill_regex_follow(automaton, automaton->threads[i], before, code, taken);
            while (taken < all) {
                automaton->taken_starts[taken++] = start;
            }
            if (automaton->has_ended) {
                *match = (regex_part){from + start, at};
            }
        }
        if (code == CODE_END || (taken == 0 && match->begin != NULL)) {
            return match->begin != NULL;
        }
        count = turn(automaton, taken);
        before = opmill_regex_kind(code);
    }
}

/* The kind of the character before a position. */
static int32_t kind_before(const char *begin, const char *at) {
    return at == begin                     ? (int32_t)REGEX_KIND_END
           : ((unsigned char)at[-1] < 128) ? opmill_regex_kind(at[-1])
                                           : (int32_t)REGEX_KIND_OTHER;
}

bool opmill_regex_search(regex_automaton *automaton, regex_part text, const char *from,
                         regex_part *match) {
    size_t left = FAILED_EACH * (size_t)(text.end - from) + FAILED;
    int32_t before = kind_before(text.begin, from), bytes;
    for (const char *at = from;; at += bytes) {
        const char *stopped;
        const char *const found = longest(automaton, at, text.end, before, &stopped);
        if (found != NULL) {
            *match = (regex_part){at, found};
            return true;
        }
        const int32_t code = read(at, text.end, &bytes);
        if (code == CODE_END) {
            return false;
        }
        before = opmill_regex_kind(code);
        const size_t failed = (size_t)(stopped - at);
        if (failed > left) {
            return search_all(automaton, at + bytes, text.end, before, match);
        }
        left -= failed;
    }
}
