/* Feature tests: what the compiler and the processor offer beyond standard C. Everything guarded by
 * these macros has a standard-C path beside it; OPMILL_STANDARD_C chooses that path everywhere. */
#ifndef OPMILL_PLATFORM_H
#define OPMILL_PLATFORM_H

#if (defined(__GNUC__) || defined(__clang__)) && !defined(OPMILL_STANDARD_C)
#define OPMILL_GNU 1
#else
#define OPMILL_GNU 0
#endif

/* The size of a buffer on the stack: the second one in standard C, whose callers may have little.
 */
#ifdef OPMILL_STANDARD_C
#define OPMILL_ON_STACK(large, small) (small)
#else
#define OPMILL_ON_STACK(large, small) (large)
#endif

/* Intrinsics of x86-64, and per-file instruction sets chosen by OPMILL_TARGET_BEGIN. */
#if OPMILL_GNU && defined(__x86_64__)
#define OPMILL_X86_64 1
#else
#define OPMILL_X86_64 0
#endif

/* The NEON of AArch64, which every such processor has. */
#if OPMILL_GNU && defined(__aarch64__) && defined(__ARM_NEON)
#define OPMILL_NEON 1
#else
#define OPMILL_NEON 0
#endif

/* The functions between BEGIN and END are compiled for the named instruction sets, whatever the
 * command line says. System headers come before BEGIN. */
#define OPMILL_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define OPMILL_TARGET_BEGIN(sets) \
    OPMILL_PRAGMA(clang attribute push(__attribute__((target(sets))), apply_to = function))
#define OPMILL_TARGET_END OPMILL_PRAGMA(clang attribute pop)
#else
#define OPMILL_TARGET_BEGIN(sets) \
    OPMILL_PRAGMA(GCC push_options) OPMILL_PRAGMA(GCC target(sets))
#define OPMILL_TARGET_END OPMILL_PRAGMA(GCC pop_options)
#endif

/* Compiler options of the x86-64 levels of enum opmill_isa. */
#define OPMILL_SETS_AVX2 "avx2,fma,f16c"
#define OPMILL_SETS_AVX512 "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq"
#define OPMILL_SETS_VNNI OPMILL_SETS_AVX512 ",avx512vnni"

#if OPMILL_GNU
#define OPMILL_INLINE static inline __attribute__((always_inline))
#define OPMILL_COLD __attribute__((cold, noinline))
#define OPMILL_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define OPMILL_PREFETCH(address) __builtin_prefetch(address, 0, 2) /* into the second-level cache */
#define OPMILL_PREFETCH_WRITE(address) __builtin_prefetch(address, 1, 3)
#else
#define OPMILL_INLINE static inline
#define OPMILL_COLD
#define OPMILL_LIKELY(condition) (condition)
#define OPMILL_PREFETCH(address) ((void)(address))
#define OPMILL_PREFETCH_WRITE(address) ((void)(address))
#endif

/* Where an array in a function begins: at a line of the cache, so that no vector lies in two. On
 * Windows gcc cannot align what lies on the stack. */
#if OPMILL_GNU && !defined(_WIN32)
#define OPMILL_LINES __attribute__((aligned(64)))
#else
#define OPMILL_LINES
#endif

/* Before a loop with a constant number of rounds: one after the other, without a loop. Where every
 * access brings a check along, unrolled loops take minutes to compile. */
#if defined(__has_feature)
#define OPMILL_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define OPMILL_SANITIZED 1
#else
#define OPMILL_SANITIZED 0
#endif
#if !OPMILL_GNU || OPMILL_SANITIZED
#define OPMILL_UNROLLED
#elif defined(__clang__)
#define OPMILL_UNROLLED OPMILL_PRAGMA(clang loop unroll(full))
#else
#define OPMILL_UNROLLED OPMILL_PRAGMA(GCC unroll 16)
#endif

#endif
