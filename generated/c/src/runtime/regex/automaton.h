/* The automaton of a regular expression. It follows all threads through the program at once, and
 * remembers the steps that it has taken in a fixed amount of memory. */
#ifndef OPMILL_REGEX_AUTOMATON_H
#define OPMILL_REGEX_AUTOMATON_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/regex/program.h"

enum {
    REGEX_STATES = 128,         /* the maximum number of states that are remembered */
    REGEX_STATE_CHARACTERS = 32 /* characters beyond ASCII whose steps a state remembers */
};

/* What assertions see of a character beside a position; of none at an end. */
enum regex_kind { REGEX_KIND_END, REGEX_KIND_LINE, REGEX_KIND_WORD, REGEX_KIND_OTHER, REGEX_KINDS };

/* Numbers of states in steps. */
enum { REGEX_STATE_UNKNOWN, REGEX_STATE_DEAD, REGEX_STATE_FIRST };

/* The number of the state that follows a character. */
typedef struct regex_step {
    int32_t code;
    int32_t next;
} regex_step;

/* The instructions that come next, and the kind of the character before. */
typedef struct regex_state {
    uint8_t ascii[128]; /* as regex_step.next */
    regex_step others[REGEX_STATE_CHARACTERS];
    uint32_t hash;
    int32_t first, count; /* of the positions */
    int32_t before;       /* of enum regex_kind */
    uint8_t known_ends;   /* by kind, as bits: whether `ends` is known */
    uint8_t ends;         /* by kind: whether a match ends before a character of that kind */
} regex_state;

typedef struct regex_automaton {
    const regex_instruction *code;
    const regex_item *items;
    int32_t code_count;
    regex_state *states; /* REGEX_STATES of them */
    int32_t *positions;  /* of all states: indices of instructions */
    int32_t position_capacity;
    int32_t *taken;       /* the positions behind a step, code_count + 1 */
    int32_t *stack;       /* code_count + 1 */
    uint32_t *reached;    /* by position, the last step that reached it, code_count + 1 */
    int32_t *threads;     /* positions of the threads of a search, code_count + 2 */
    size_t *starts;       /* where each thread began, code_count + 2 */
    size_t *taken_starts; /* where each of `taken` began, code_count + 2 */
    uint32_t steps;
    int32_t state_count, position_count;
    int32_t first_states[REGEX_KINDS]; /* by the kind of the character before; 0: unknown */
    bool has_ended;                    /* whether the last step reached the end of the program */
    bool has_forgotten; /* whether the states have been forgotten since this was cleared */
} regex_automaton;

/* Bytes of memory for the program and the automaton of a pattern. */
uint64_t opmill_regex_bytes(const char *pattern);

/* Compiles a pattern into that memory, which is aligned for every type. Returns OPMILL_OK, or sets
 * the error and returns its code. */
int opmill_regex_compile(regex_automaton *automaton, const regex_pattern *pattern, char *memory,
                         opmill_context *context);

/* The kind of a character; of a negative code, that of none. */
int32_t opmill_regex_kind(int32_t code);

/* The number of the state in which a match begins behind a character of this kind. */
int32_t opmill_regex_first_state(regex_automaton *automaton, int32_t before);

/* Takes a step that the state does not remember. */
int32_t opmill_regex_step(regex_automaton *automaton, int32_t number, int32_t code);

/* Finds out whether a match ends before a character of this kind, where the state does not know. */
bool opmill_regex_ends(regex_automaton *automaton, int32_t number, int32_t behind);

/* Adds to `taken` the positions behind a character that follow a position, except those that this
 * step has reached, and sets `has_ended`. Returns the number of `taken`. */
int32_t opmill_regex_follow(regex_automaton *automaton, int32_t position, int32_t before,
                            int32_t code, int32_t count);

/* Begins a step, which has reached no position. */
void opmill_regex_begin_step(regex_automaton *automaton);

static inline int32_t opmill_regex_next(regex_automaton *automaton, int32_t number, int32_t code) {
    const regex_state *const state = &automaton->states[number - REGEX_STATE_FIRST];
    int32_t next;
    if (code < 128) {
        next = state->ascii[code];
    } else {
        const regex_step *const step = &state->others[(uint32_t)code % REGEX_STATE_CHARACTERS];
        next = step->code == code ? step->next : (int32_t)REGEX_STATE_UNKNOWN;
    }
    return next != REGEX_STATE_UNKNOWN ? next : opmill_regex_step(automaton, number, code);
}

static inline bool opmill_regex_is_end(regex_automaton *automaton, int32_t number, int32_t behind) {
    const regex_state *const state = &automaton->states[number - REGEX_STATE_FIRST];
    return (state->known_ends >> behind & 1) != 0 ? (state->ends >> behind & 1) != 0
                                                  : opmill_regex_ends(automaton, number, behind);
}

#endif
