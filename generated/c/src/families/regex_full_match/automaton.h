/* The automaton of a regular expression. It follows all ways through the program at once, and
 * remembers the steps that it has made in as much memory as it has. */
#ifndef OPMILL_REGEX_FULL_MATCH_AUTOMATON_H
#define OPMILL_REGEX_FULL_MATCH_AUTOMATON_H

#include <stdbool.h>
#include <stdint.h>

#include "families/regex_full_match/program.h"

enum {
    STATES = 128,         /* the maximum number of states that are remembered */
    STATE_CHARACTERS = 32 /* characters beyond ASCII whose steps a state remembers */
};

/* The number of the state that follows a character: 0 where it is unknown. */
typedef struct regex_step {
    int32_t code;
    int32_t next;
} regex_step;

/* The instructions that come next, and the kind of the character before. */
typedef struct regex_state {
    uint8_t ascii[128]; /* as regex_step.next */
    regex_step others[STATE_CHARACTERS];
    uint32_t hash;
    int32_t first, count; /* of the places */
    int32_t before;       /* of enum regex_kind */
    int32_t end;          /* whether the text may end here; 0 where it is unknown */
} regex_state;

typedef struct regex_automaton {
    const regex_instruction *code;
    const regex_item *items;
    int32_t code_count;
    regex_state *states; /* STATES of them */
    int32_t *places;     /* of all states */
    int32_t place_capacity;
    int32_t *taken;    /* the places of a step, code_count + 1 */
    int32_t *stack;    /* code_count + 1 */
    uint32_t *reached; /* by place, the last step that reached it, code_count + 1 */
    uint32_t steps;
    int32_t state_count, place_count;
    int32_t start;      /* the number of the first state; 0 where it is forgotten */
    bool has_forgotten; /* whether the states have been forgotten since this was cleared */
} regex_automaton;

/* Readies an automaton whose program and memory are set. */
void opmill_regex_begin(regex_automaton *automaton);

/* True if the whole text matches. */
bool opmill_regex_matches(regex_automaton *automaton, const char *text);

#endif
