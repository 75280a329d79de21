#include "runtime/isa.h"

#include "runtime/platform.h"

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
#endif  /* others cannot ask for F16C, but every processor with AVX2 and FMA has it */
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

int32_t opmill_isa_select(int32_t wanted) {
    if (wanted == OPMILL_ISA_AUTO) {
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
    return opmill_isa_available(wanted) ? wanted : -1;
}

bool opmill_isa_has_vbmi(void) {
#if OPMILL_X86_64
    return __builtin_cpu_supports("avx512vbmi");
#else
    return false;
#endif
}
