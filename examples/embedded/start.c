/* Starts a program on a Cortex-M: vector table, memory, floating point, and the exit from QEMU. */
#include <stdint.h>
#include <string.h>

extern char stack_top[], data_start[], data_end[], data_load[], bss_start[], bss_end[];

int main(void);
void initialise_monitor_handles(void); /* of librdimon: lets stdio write to QEMU's console */

static _Noreturn void leave(uint32_t reason, uint32_t status) {
    const uint32_t block[2] = {reason, status};
    __asm__ volatile("mov r0, #0x20\n mov r1, %0\n bkpt #0xab" ::"r"(block) : "r0", "r1", "memory");
    for (;;) {
    }
}

static void on_fault(void) { leave(0x20026, 3); }

static void on_reset(void) {
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: the floating-point unit is on */
    __asm__ volatile("dsb\n isb");
    memcpy(data_start, data_load, (size_t)(data_end - data_start));
    memset(bss_start, 0, (size_t)(bss_end - bss_start));
    initialise_monitor_handles();
    leave(0x20026, (uint32_t)main());
}

__attribute__((section(".vectors"), used)) static void *const vectors[] = {
    stack_top,        (void *)on_reset, (void *)on_fault, (void *)on_fault,
    (void *)on_fault, (void *)on_fault, (void *)on_fault,
};
