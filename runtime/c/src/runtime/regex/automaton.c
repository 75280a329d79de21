/* Steps of the automaton. A step costs at most as much as the program has instructions, and a
 * step that is remembered one look at a table, so the time grows linearly with a text. */
#include "runtime/regex/automaton.h"

#include <string.h>

enum { CODE_END = -1 /* instead of a character behind the last one */ };

int32_t opmill_regex_kind(int32_t code) {
    const bool is_word = (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
                         (code >= 'a' && code <= 'z') || code == '_';
    return code < 0       ? REGEX_KIND_END
           : code == '\n' ? REGEX_KIND_LINE
           : is_word      ? REGEX_KIND_WORD
                          : REGEX_KIND_OTHER;
}

static bool holds(int32_t assertion, int32_t before, int32_t behind) {
    const bool is_boundary = (before == REGEX_KIND_WORD) != (behind == REGEX_KIND_WORD);
    switch (assertion) {
    case REGEX_ASSERT_TEXT_BEGIN:
        return before == REGEX_KIND_END;
    case REGEX_ASSERT_TEXT_END:
        return behind == REGEX_KIND_END;
    case REGEX_ASSERT_LINE_BEGIN:
        return before == REGEX_KIND_END || before == REGEX_KIND_LINE;
    case REGEX_ASSERT_LINE_END:
        return behind == REGEX_KIND_END || behind == REGEX_KIND_LINE;
    default:
        return is_boundary == (assertion == REGEX_ASSERT_BOUNDARY);
    }
}

static bool takes(const regex_automaton *automaton, const regex_instruction *set, int32_t code) {
    for (int32_t i = 0; i < set->b; i++) {
        if (opmill_regex_has(&automaton->items[set->a + i], code)) {
            return set->word == REGEX_WORD_SET;
        }
    }
    return set->word == REGEX_WORD_OTHERS;
}

static void forget(regex_automaton *automaton) {
    automaton->state_count = automaton->position_count = 0;
    memset(automaton->first_states, 0, sizeof automaton->first_states);
    automaton->has_forgotten = true;
}

static void clear_reached(regex_automaton *automaton) {
    memset(automaton->reached, 0, ((size_t)automaton->code_count + 1) * sizeof *automaton->reached);
    automaton->steps = 0;
}

/* Where the parts of a pattern's memory begin, in bytes. */
typedef struct layout {
    size_t code, items, groups, states, positions, taken, stack, reached, threads, starts,
        taken_starts, end;
    size_t position_capacity;
} layout;

/* Positions that are remembered, for each instruction and in any case. */
enum { POSITIONS_EACH = 4, POSITIONS = 1024 };

static size_t behind(size_t begin, size_t count, size_t bytes) {
    return (begin + count * bytes + 15) / 16 * 16;
}

static layout layout_of(const char *pattern) {
    const regex_sizes sizes = opmill_regex_sizes(pattern);
    const size_t positions = sizes.code + 2; /* the end is one; a search adds its begin */
    layout at = {.code = 0, .position_capacity = POSITIONS_EACH * positions + POSITIONS};
    at.items = behind(at.code, sizes.code, sizeof(regex_instruction));
    at.groups = behind(at.items, sizes.items, sizeof(regex_item));
    at.states = behind(at.groups, sizes.groups, sizeof(regex_group));
    at.positions = behind(at.states, REGEX_STATES, sizeof(regex_state));
    at.taken = behind(at.positions, at.position_capacity, sizeof(int32_t));
    at.stack = behind(at.taken, positions, sizeof(int32_t));
    at.reached = behind(at.stack, positions, sizeof(int32_t));
    at.threads = behind(at.reached, positions, sizeof(uint32_t));
    at.starts = behind(at.threads, positions, sizeof(int32_t));
    at.taken_starts = behind(at.starts, positions, sizeof(size_t));
    at.end = behind(at.taken_starts, positions, sizeof(size_t));
    return at;
}

uint64_t opmill_regex_bytes(const char *pattern) { return layout_of(pattern).end; }

int opmill_regex_compile(regex_automaton *automaton, const regex_pattern *pattern, char *memory,
                         opmill_context *context) {
    const layout at = layout_of(pattern->text);
    regex_parser parser = {
        .context = context,
        .source = pattern,
        .code = (regex_instruction *)(void *)(memory + at.code),
        .items = (regex_item *)(void *)(memory + at.items),
        .groups = (regex_group *)(void *)(memory + at.groups),
    };
    const int code = opmill_regex_parse(&parser);
    if (code != OPMILL_OK) {
        return code;
    }
    *automaton = (regex_automaton){
        .code = parser.code,
        .items = parser.items,
        .code_count = parser.code_count,
        .states = (regex_state *)(void *)(memory + at.states),
        .positions = (int32_t *)(void *)(memory + at.positions),
        .position_capacity = (int32_t)at.position_capacity,
        .taken = (int32_t *)(void *)(memory + at.taken),
        .stack = (int32_t *)(void *)(memory + at.stack),
        .reached = (uint32_t *)(void *)(memory + at.reached),
        .threads = (int32_t *)(void *)(memory + at.threads),
        .starts = (size_t *)(void *)(memory + at.starts),
        .taken_starts = (size_t *)(void *)(memory + at.taken_starts),
    };
    clear_reached(automaton);
    forget(automaton);
    return OPMILL_OK;
}

void opmill_regex_begin_step(regex_automaton *automaton) {
    if (automaton->steps == UINT32_MAX) {
        clear_reached(automaton);
    }
    automaton->steps++;
    automaton->has_ended = false;
}

/* Puts a position on the stack unless this step has reached it already. */
static int32_t reach(regex_automaton *automaton, int32_t position, int32_t depth) {
    if (automaton->reached[position] != automaton->steps) {
        automaton->reached[position] = automaton->steps;
        automaton->stack[depth++] = position;
    }
    return depth;
}

/* As opmill_regex_follow; the kind of the character is known, and `code` negative where none is to
 * be taken. */
static int32_t follow(regex_automaton *automaton, int32_t start, int32_t before, int32_t kind,
                      int32_t code, int32_t count) {
    int32_t depth = reach(automaton, start, 0);
    while (depth > 0) {
        const int32_t position = automaton->stack[--depth];
        const regex_instruction *const next = &automaton->code[position];
        if (position == automaton->code_count) {
            automaton->has_ended = true;
            continue;
        }
        switch (next->word) {
        case REGEX_WORD_SET:
        case REGEX_WORD_OTHERS:
            if (code >= 0 && takes(automaton, next, code)) {
                automaton->taken[count++] = position + 1;
            }
            break;
        case REGEX_WORD_ASSERT:
            if (holds(next->a, before, kind)) {
                depth = reach(automaton, position + 1, depth);
            }
            break;
        case REGEX_WORD_SPLIT:
            depth = reach(automaton, position + next->b, depth);
            depth = reach(automaton, position + next->a, depth);
            break;
        default:
            depth = reach(automaton, position + next->a, depth);
            break;
        }
    }
    return count;
}

int32_t opmill_regex_follow(regex_automaton *automaton, int32_t position, int32_t before,
                            int32_t code, int32_t count) {
    return follow(automaton, position, before, opmill_regex_kind(code), code, count);
}

/* Sets `taken` to the positions behind a character that follow all of a state. Returns their
 * number. */
static int32_t follow_all(regex_automaton *automaton, const regex_state *state, int32_t kind,
                          int32_t code) {
    int32_t count = 0;
    opmill_regex_begin_step(automaton);
    for (int32_t i = 0; i < state->count; i++) {
        const int32_t position = automaton->positions[state->first + i];
        count = follow(automaton, position, state->before, kind, code, count);
    }
    return count;
}

/* The number of the state of these positions, which is added where it is new. */
static int32_t state_of(regex_automaton *automaton, int32_t before, int32_t count) {
    uint32_t hash = UINT32_C(2166136261) ^ (uint32_t)before;
    for (int32_t i = 0; i < count; i++) {
        hash = (hash ^ (uint32_t)automaton->taken[i]) * UINT32_C(16777619);
    }
    for (int32_t i = 0; i < automaton->state_count; i++) {
        const regex_state *const one = &automaton->states[i];
        if (one->hash == hash && one->before == before && one->count == count &&
            memcmp(automaton->positions + one->first, automaton->taken,
                   (size_t)count * sizeof *automaton->taken) == 0) {
            return i + REGEX_STATE_FIRST;
        }
    }
    if (automaton->state_count == REGEX_STATES ||
        count > automaton->position_capacity - automaton->position_count) {
        forget(automaton);
    }
    regex_state *const added = &automaton->states[automaton->state_count];
    memset(added, 0, sizeof *added);
    added->hash = hash;
    added->first = automaton->position_count;
    added->count = count;
    added->before = before;
    memcpy(automaton->positions + added->first, automaton->taken,
           (size_t)count * sizeof *automaton->taken);
    automaton->position_count += count;
    return automaton->state_count++ + REGEX_STATE_FIRST;
}

int32_t opmill_regex_step(regex_automaton *automaton, int32_t number, int32_t code) {
    regex_state *const state = &automaton->states[number - REGEX_STATE_FIRST];
    const int32_t kind = opmill_regex_kind(code);
    const int32_t count = follow_all(automaton, state, kind, code);
    automaton->has_forgotten = false;
    const int32_t next = count > 0 ? state_of(automaton, kind, count) : (int32_t)REGEX_STATE_DEAD;
    if (automaton->has_forgotten) {
        return next; /* the state that would remember it is gone */
    }
    if (code < 128) {
        state->ascii[code] = (uint8_t)next;
    } else {
        state->others[(uint32_t)code % REGEX_STATE_CHARACTERS] = (regex_step){code, next};
    }
    return next;
}

int32_t opmill_regex_first_state(regex_automaton *automaton, int32_t before) {
    if (automaton->first_states[before] == REGEX_STATE_UNKNOWN) {
        automaton->taken[0] = 0;
        const int32_t number = state_of(automaton, before, 1);
        automaton->first_states[before] = number;
    }
    return automaton->first_states[before];
}

bool opmill_regex_ends(regex_automaton *automaton, int32_t number, int32_t behind) {
    regex_state *const state = &automaton->states[number - REGEX_STATE_FIRST];
    (void)follow_all(automaton, state, behind, CODE_END);
    state->known_ends |= (uint8_t)(1 << behind);
    state->ends |= (uint8_t)(automaton->has_ended << behind);
    return automaton->has_ended;
}
