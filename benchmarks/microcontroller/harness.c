/* Runs a network once on a Cortex-M and writes its stack, its instructions and whether its bits are
 * the expected ones; with HOST, runs it for a second and prints the best time.
 *
 * network.h defines x, y and run_network; vectors.h the bits of x and of the expected y. It calls
 * nothing of the C library on the target, so that all of it there is the network's. */
#include <stddef.h>
#include <stdint.h>

#include "network.h"
#include "vectors.h"

static void fill(void) {
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        ((volatile uint32_t *)x)[i] = given[i];
    }
}

static int is_exact(void) {
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (((volatile uint32_t *)y)[i] != expected[i]) {
            return 0;
        }
    }
    return 1;
}

#ifdef HOST
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(void) {
    const double end = now() + 1;
    double best = 1e9;
    fill();
    if (run_network() != 0) {
        return 1;
    }
    const int exact = is_exact();
    while (now() < end) {
        const double start = now();
        run_network();
        const double time = now() - start;
        best = time < best ? time : best;
    }
    printf("nanoseconds %.0f\nexact %d\n", best * 1e9, exact);
    return 0;
}
#else
#define PAINT 0xA5A5A5A5u

extern char stack_top[], data_start[], data_end[], data_load[], bss_start[], bss_end[];

int main(void);

/* A call of the debugger that runs the program: semihosting. */
static void request(uint32_t number, const void *argument) {
    register uint32_t r0 __asm__("r0") = number;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt #0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static _Noreturn void leave(uint32_t status) {
    const uint32_t block[2] = {0x20026, status};
    request(0x20, block);
    for (;;) {
    }
}

static void write_number(const char *name, uint32_t number) {
    char digits[12];
    char *at = digits + sizeof digits;
    *--at = 0;
    *--at = '\n';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    request(4, name);
    request(4, at);
}

/* SysTick counts the 25 MHz of the board; under -icount shift=0 a tick is 40 instructions. */
static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010;

__attribute__((noinline)) static void run(void) {
    volatile uint32_t *const top = (volatile uint32_t *)__builtin_frame_address(0) - 16;
    volatile uint32_t *const bottom = (volatile uint32_t *)(void *)bss_end;
    volatile uint32_t *word = bottom;
    while (word < top) {
        *word++ = PAINT;
    }
    systick[1] = 0xFFFFFF;
    systick[2] = 0;
    systick[0] = 5;
    const int code = run_network();
    const uint32_t ticks = 0xFFFFFF - systick[2];
    word = bottom;
    while (word < top && *word == PAINT) {
        word++;
    }
    write_number("stack ", (uint32_t)(top - word) * 4 + 64);
    write_number("ticks ", ticks);
    write_number("exact ", code == 0 && is_exact());
}

int main(void) {
    fill();
    run();
    return 0;
}

static void on_fault(void) { leave(3); }

static void on_reset(void) {
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: the floating-point unit is on */
    __asm__ volatile("dsb\n isb");
    const volatile char *from = data_load;
    for (volatile char *to = data_start; to < data_end; to++) {
        *to = *from++;
    }
    for (volatile char *to = bss_start; to < bss_end; to++) {
        *to = 0;
    }
    leave((uint32_t)main());
}

__attribute__((section(".vectors"), used)) static void *const vectors[] = {
    stack_top,        (void *)on_reset, (void *)on_fault, (void *)on_fault,
    (void *)on_fault, (void *)on_fault, (void *)on_fault,
};
#endif
