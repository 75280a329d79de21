/* Detects the instruction sets that processor and build have in common, and selects the one that a
 * call uses. */
#include "runtime/platform/isa.h"

#include "runtime/platform/platform.h"

/* The compiler's run-time library asks the processor (cpuid) and the system (xgetbv) once, before
 * main; the calls below only read what it found. Asking at each call instead would cost more than
 * a small operator does: under a hypervisor cpuid leaves the guest. */

bool opmill_isa_available(int32_t isa) {
    switch (isa) {
    case OPMILL_ISA_PLAIN:
    case OPMILL_ISA_BASELINE:
        return true;
#if OPMILL_X86_64
    case OPMILL_ISA_AVX2:
#if !defined(__clang__) && __GNUC__ >= 11
        if (!__builtin_cpu_supports("f16c")) {
            return false;
        }
#endif /* others cannot ask for F16C, but every processor with AVX2 and FMA has it */
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case OPMILL_ISA_AVX512:
        return opmill_isa_available(OPMILL_ISA_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
#endif
#if OPMILL_NEON
    case OPMILL_ISA_NEON:
        return true;
#endif
    default:
        return false;
    }
}

int32_t opmill_isa_best(void) {
    static const int32_t BEST_FIRST[] = {
        OPMILL_ISA_AVX512,
        OPMILL_ISA_NEON,
        OPMILL_ISA_AVX2,
    };
    for (int i = 0; i < 3; i++) {
        if (opmill_isa_available(BEST_FIRST[i])) {
            return BEST_FIRST[i];
        }
    }
    return OPMILL_ISA_BASELINE;
}

int32_t opmill_isa_select(int32_t wanted) {
    if (wanted == OPMILL_ISA_AUTO) {
        return opmill_isa_best();
    }
    return opmill_isa_available(wanted) ? wanted : -1;
}

const char *opmill_isa_name(int32_t isa) {
    switch (isa) {
    case OPMILL_ISA_PLAIN:
        return "plain";
    case OPMILL_ISA_BASELINE:
        return "baseline";
    case OPMILL_ISA_AVX2:
        return "avx2";
    case OPMILL_ISA_AVX512:
        return "avx512";
    case OPMILL_ISA_NEON:
        return "neon";
    default:
        return NULL;
    }
}

bool opmill_isa_has_vbmi(void) {
#if OPMILL_X86_64
    return __builtin_cpu_supports("avx512vbmi");
#else
    return false;
#endif
}

bool opmill_isa_has_vnni(void) {
#if OPMILL_X86_64
    return __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}
