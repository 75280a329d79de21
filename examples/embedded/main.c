/* Runs the keyword spotter, measures its stack and instructions, and tests its bits. */
#include <stdint.h>
#include <stdio.h>

#include "spotter.h"

#define STACK_BYTES (256 * 1024)
#define PAINT 0xA5A5A5A5u

int spotter_test(void); /* the main function of spotter/test.c */

static _Alignas(SPOTTER_ALIGNMENT) unsigned char arena[SPOTTER_ARENA_BYTES];
static float features[SPOTTER_FEATURES_COUNT];
static float scores[SPOTTER_SCORES_COUNT];

/* SysTick counts the 25 MHz of the board; under -icount shift=0 a tick is 40 instructions. */
static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010;

int main(void) {
    const spotter_inputs inputs = {.features = features};
    const spotter_outputs outputs = {.scores = scores};
    volatile uint32_t *const top = (volatile uint32_t *)__builtin_frame_address(0) - 64;
    volatile uint32_t *word = top - STACK_BYTES / 4;
    if (spotter_check(&inputs, &outputs, arena, sizeof arena) != 0) {
        return 1;
    }
    while (word < top) {
        *word++ = PAINT;
    }
    systick[1] = 0xFFFFFF;
    systick[2] = 0;
    systick[0] = 5;
    if (spotter_run(&inputs, &outputs, arena) != 0) {
        return 2;
    }
    const uint32_t ticks = 0xFFFFFF - systick[2];
    word = top - STACK_BYTES / 4;
    while (word < top && *word == PAINT) {
        word++;
    }
    printf("arena: %u bytes\n", (unsigned)SPOTTER_ARENA_BYTES);
    printf("stack: %u bytes\n", (unsigned)((top - word) * 4 + 256));
    printf("instructions: %u thousand\n", (unsigned)(ticks / 25));
    return spotter_test();
}
