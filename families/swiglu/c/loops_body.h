/* The loops of one instruction set, and the choice among them by type. The kernel that includes
 * this defines LOOPS, the name of the set, LOOPS_ISA, its level, and RUN, the elements of a run.
 *
 * Both inputs have all elements of the output, so that neither is ever one element for several. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

#define DEFINE(name, type, label)                                                             \
    static void JOIN(all_##name, LOOPS)(const void *gate, bool gate_is_one, const void *linear, \
                                        bool linear_is_one, void *to, int64_t count,          \
                                        const void *operands) {                               \
        const plan_type *const plan = operands;                                               \
        const type *a = gate, *b = linear;                                                    \
        type *y = to, swish[RUN];                                                             \
        (void)gate_is_one;                                                                    \
        (void)linear_is_one;                                                                  \
        for (; count > 0; count -= RUN, a += RUN, b += RUN, y += RUN) {                       \
            const int now = count < RUN ? (int)count : RUN;                                   \
            opmill_math_swish(label, LOOPS_ISA)(a, swish, now, plan->alpha, 1);               \
            for (int i = 0; i < now; i++) {                                                   \
                y[i] = swish[i] * b[i];                                                       \
            }                                                                                 \
        }                                                                                     \
    }

/* float16 and bfloat16 are computed as floats: the function is rounded, and then the product. */
#define DEFINE_HALF(name)                                                                     \
    static void JOIN(all_##name, LOOPS)(const void *gate, bool gate_is_one, const void *linear, \
                                        bool linear_is_one, void *to, int64_t count,          \
                                        const void *operands) {                               \
        const plan_type *const plan = operands;                                               \
        const uint16_t *a = gate, *b = linear;                                                \
        uint16_t *y = to, part[RUN] = {0};                                                    \
        float OPMILL_LINES wide[RUN], swish[RUN] = {0};                                       \
        (void)gate_is_one;                                                                    \
        (void)linear_is_one;                                                                  \
        for (; count > 0; count -= RUN, a += RUN, b += RUN, y += RUN) {                       \
            const int64_t now = count < RUN ? count : RUN;                                    \
            memcpy(part, a, (size_t)now * sizeof part[0]);                                    \
            JOIN(opmill_##name##_widen, LOOPS)(part, wide, RUN);                              \
            opmill_math_swish(OPMILL_FLOAT, LOOPS_ISA)(wide, swish, now, plan->alpha, 1);     \
            JOIN(opmill_##name##_narrow, LOOPS)(swish, part, RUN);                            \
            JOIN(opmill_##name##_widen, LOOPS)(part, swish, RUN);                             \
            memcpy(part, b, (size_t)now * sizeof part[0]);                                    \
            JOIN(opmill_##name##_widen, LOOPS)(part, wide, RUN);                              \
            for (int i = 0; i < RUN; i++) {                                                   \
                wide[i] *= swish[i];                                                          \
            }                                                                                 \
            JOIN(opmill_##name##_narrow, LOOPS)(wide, part, RUN);                             \
            memcpy(y, part, (size_t)now * sizeof part[0]);                                    \
        }                                                                                     \
    }

DEFINE(float, float, OPMILL_FLOAT)
DEFINE(double, double, OPMILL_DOUBLE)
DEFINE_HALF(float16)
DEFINE_HALF(bfloat16)

static opmill_binary_loop *JOIN(loop, LOOPS)(int32_t type) {
    switch (type) {
    case OPMILL_DOUBLE:
        return JOIN(all_double, LOOPS);
    case OPMILL_FLOAT16:
        return JOIN(all_float16, LOOPS);
    case OPMILL_BFLOAT16:
        return JOIN(all_bfloat16, LOOPS);
    default:
        return JOIN(all_float, LOOPS);
    }
}

#undef DEFINE_HALF
#undef DEFINE
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS_ISA
#undef LOOPS
