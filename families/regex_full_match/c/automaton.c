/* Steps of the automaton. A step costs at most as much as the program has instructions, and a
 * step that is remembered one look at a table, so the time grows linearly with a text. */
#include "families/regex_full_match/automaton.h"

#include <string.h>

#include "runtime/text/utf8.h"

/* What assertions see of a character beside a position; of none at an end. */
enum regex_kind { KIND_END, KIND_LINE, KIND_WORD, KIND_OTHER };

/* Numbers of states in steps. */
enum { STATE_UNKNOWN, STATE_DEAD, STATE_FIRST };

enum { CODE_END = -1 /* instead of a character behind the last one */ };

static int32_t kind_of(int32_t code) {
    const bool is_word = (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
                         (code >= 'a' && code <= 'z') || code == '_';
    return code == CODE_END ? KIND_END
           : code == '\n'   ? KIND_LINE
           : is_word        ? KIND_WORD
                            : KIND_OTHER;
}

static bool holds(int32_t assertion, int32_t before, int32_t behind) {
    const bool is_boundary = (before == KIND_WORD) != (behind == KIND_WORD);
    switch (assertion) {
    case ASSERT_TEXT_BEGIN:
        return before == KIND_END;
    case ASSERT_TEXT_END:
        return behind == KIND_END;
    case ASSERT_LINE_BEGIN:
        return before == KIND_END || before == KIND_LINE;
    case ASSERT_LINE_END:
        return behind == KIND_END || behind == KIND_LINE;
    default:
        return is_boundary == (assertion == ASSERT_BOUNDARY);
    }
}

static bool takes(const regex_automaton *automaton, const regex_instruction *set, int32_t code) {
    for (int32_t i = 0; i < set->b; i++) {
        if (opmill_regex_has(&automaton->items[set->a + i], code)) {
            return set->word == WORD_SET;
        }
    }
    return set->word == WORD_OTHERS;
}

static void forget(regex_automaton *automaton) {
    automaton->state_count = automaton->place_count = 0;
    automaton->start = STATE_UNKNOWN;
    automaton->has_forgotten = true;
}

static void clear_reached(regex_automaton *automaton) {
    memset(automaton->reached, 0, ((size_t)automaton->code_count + 1) * sizeof *automaton->reached);
    automaton->steps = 0;
}

void opmill_regex_begin(regex_automaton *automaton) {
    clear_reached(automaton);
    forget(automaton);
}

/* Puts a place on the stack unless this step has reached it already. */
static int32_t reach(regex_automaton *automaton, int32_t place, int32_t depth) {
    if (automaton->reached[place] != automaton->steps) {
        automaton->reached[place] = automaton->steps;
        automaton->stack[depth++] = place;
    }
    return depth;
}

/* Sets `taken` to the places behind a character; behind the end, to those where the text matches.
 * Returns their number. */
static int32_t take(regex_automaton *automaton, const regex_state *state, int32_t code) {
    const int32_t *const places = automaton->places + state->first;
    const int32_t behind = kind_of(code);
    int32_t depth = 0, count = 0;
    if (automaton->steps == UINT32_MAX) {
        clear_reached(automaton);
    }
    automaton->steps++;
    for (int32_t i = 0; i < state->count; i++) {
        depth = reach(automaton, places[i], depth);
    }
    while (depth > 0) {
        const int32_t place = automaton->stack[--depth];
        const regex_instruction *const next = &automaton->code[place];
        if (place == automaton->code_count) {
            automaton->taken[count] = place;
            count += code == CODE_END;
            continue;
        }
        switch (next->word) {
        case WORD_SET:
        case WORD_OTHERS:
            if (code != CODE_END && takes(automaton, next, code)) {
                automaton->taken[count++] = place + 1;
            }
            break;
        case WORD_ASSERT:
            if (holds(next->a, state->before, behind)) {
                depth = reach(automaton, place + 1, depth);
            }
            break;
        case WORD_SPLIT:
            depth = reach(automaton, place + next->b, depth);
            depth = reach(automaton, place + next->a, depth);
            break;
        default:
            depth = reach(automaton, place + next->a, depth);
            break;
        }
    }
    return count;
}

/* The number of the state of these places, which is added where it is new. */
static int32_t state_of(regex_automaton *automaton, int32_t before, int32_t count) {
    uint32_t hash = UINT32_C(2166136261) ^ (uint32_t)before;
    for (int32_t i = 0; i < count; i++) {
        hash = (hash ^ (uint32_t)automaton->taken[i]) * UINT32_C(16777619);
    }
    for (int32_t i = 0; i < automaton->state_count; i++) {
        const regex_state *const one = &automaton->states[i];
        if (one->hash == hash && one->before == before && one->count == count &&
            memcmp(automaton->places + one->first, automaton->taken,
                   (size_t)count * sizeof *automaton->taken) == 0) {
            return i + STATE_FIRST;
        }
    }
    if (automaton->state_count == STATES ||
        count > automaton->place_capacity - automaton->place_count) {
        forget(automaton);
    }
    regex_state *const added = &automaton->states[automaton->state_count];
    memset(added, 0, sizeof *added);
    added->hash = hash;
    added->first = automaton->place_count;
    added->count = count;
    added->before = before;
    memcpy(automaton->places + added->first, automaton->taken,
           (size_t)count * sizeof *automaton->taken);
    automaton->place_count += count;
    return automaton->state_count++ + STATE_FIRST;
}

/* The step of a state for a character; its code is another one where the step is unknown. */
static regex_step *step_of(regex_state *state, int32_t code) {
    return &state->others[(uint32_t)code % STATE_CHARACTERS];
}

static int32_t remembered(regex_state *state, int32_t code) {
    if (code < 128) {
        return state->ascii[code];
    }
    const regex_step *const step = step_of(state, code);
    return step->code == code ? step->next : STATE_UNKNOWN;
}

/* Makes a step that is not remembered. */
static int32_t step(regex_automaton *automaton, int32_t number, int32_t code) {
    regex_state *const state = &automaton->states[number - STATE_FIRST];
    const int32_t count = take(automaton, state, code);
    automaton->has_forgotten = false;
    const int32_t next =
        count > 0 ? state_of(automaton, kind_of(code), count) : (int32_t)STATE_DEAD;
    if (automaton->has_forgotten) {
        return next; /* the state that would remember it is gone */
    }
    if (code < 128) {
        state->ascii[code] = (uint8_t)next;
    } else {
        *step_of(state, code) = (regex_step){code, next};
    }
    return next;
}

static int32_t start_of(regex_automaton *automaton) {
    if (automaton->start == STATE_UNKNOWN) {
        automaton->taken[0] = 0;
        automaton->start = state_of(automaton, KIND_END, 1);
    }
    return automaton->start;
}

bool opmill_regex_matches(regex_automaton *automaton, const char *text) {
    int32_t number = start_of(automaton);
    while (*text != '\0') {
        int32_t bytes;
        const int32_t code = opmill_utf8_read(text, &bytes);
        int32_t next = remembered(&automaton->states[number - STATE_FIRST], code);
        if (next == STATE_UNKNOWN) {
            next = step(automaton, number, code);
        }
        if (next == STATE_DEAD) {
            return false;
        }
        number = next;
        text += bytes;
    }
    regex_state *const state = &automaton->states[number - STATE_FIRST];
    if (state->end == STATE_UNKNOWN) {
        state->end =
            take(automaton, state, CODE_END) > 0 ? (int32_t)STATE_FIRST : (int32_t)STATE_DEAD;
    }
    return state->end == STATE_FIRST;
}
