/* The loops for one type and instruction set; reduce_types.h includes this.
 *
 * ELEMENT is what memory holds, PART what a block is summed in, WHOLE what blocks are added in,
 * MEMBER where a WHOLE is kept in an opmill_reduce_part; LOAD and STORE convert. */
enum { NAME(LANES) = 32 };

/* The sum of up to a block of adjacent elements: lanes first, then pairs of lanes. */
static PART NAME(block)(const ELEMENT *from, int64_t count) {
    PART lanes[NAME(LANES)] = {0}, rest = 0;
    int64_t i = 0;
    for (; i + NAME(LANES) <= count; i += NAME(LANES)) {
        for (int64_t k = 0; k < NAME(LANES); k++) {
            lanes[k] += LOAD(from[i + k]);
        }
    }
    for (; i < count; i++) {
        rest += LOAD(from[i]);
    }
    for (int64_t half = NAME(LANES) / 2; half > 0; half /= 2) {
        for (int64_t k = 0; k < half; k++) {
            lanes[k] += lanes[k + half];
        }
    }
    return lanes[0] + rest;
}

static WHOLE NAME(run)(const ELEMENT *from, int64_t count) {
    WHOLE total = 0;
    for (int64_t i = 0; i < count; i += OPMILL_REDUCE_BLOCK) {
        const int64_t left = count - i;
        total += (WHOLE)NAME(block)(from + i,
                                    left < OPMILL_REDUCE_BLOCK ? left : OPMILL_REDUCE_BLOCK);
    }
    return total;
}

/* A share of the one sum of all elements. */
static void NAME(part)(void *state, int64_t task, int32_t worker) {
    const opmill_reduce_plan *const plan = state;
    const int64_t from = task * plan->share, left = plan->length - from;
    (void)worker;
    plan->parts[task].MEMBER = NAME(run)((const ELEMENT *)plan->data + from,
                                         left < plan->share ? left : plan->share);
}

/* The one sum, of the sums of its shares. */
static void NAME(join)(const opmill_reduce_plan *plan) {
    WHOLE total = 0;
    for (int64_t i = 0; i < plan->shares; i++) {
        total += (WHOLE)plan->parts[i].MEMBER;
    }
    *(ELEMENT *)plan->to = STORE(total);
}

/* A share of the sums whose innermost elements are adjacent. */
static void NAME(rows)(void *state, int64_t task, int32_t worker) {
    const opmill_reduce_plan *const plan = state;
    const int64_t from = task * plan->share;
    const int64_t end = from + plan->share < plan->kept.size ? from + plan->share : plan->kept.size;
    (void)worker;
    for (int64_t k = from; k < end; k++) {
        const ELEMENT *const data =
            (const ELEMENT *)plan->data + opmill_reduce_offset(&plan->kept, k);
        int64_t index[OPMILL_MAX_RANK] = {0}, offset = 0;
        WHOLE total = 0;
        for (int64_t i = 0; i < plan->gone.size; i++) {
            total += NAME(run)(data + offset, plan->length);
            opmill_reduce_step(&plan->gone, index, &offset);
        }
        ((ELEMENT *)plan->to)[k] = STORE(total);
    }
}

/* Some adjacent sums: whole rows of elements are added, a few rows at a time before they go to the
 * totals. */
static void NAME(columns)(void *state, int64_t task, int32_t worker) {
    const opmill_reduce_plan *const plan = state;
    const int64_t tasks = (plan->length + plan->share - 1) / plan->share;
    const int64_t first = task % tasks * plan->share, left = plan->length - first;
    const int64_t width = left < plan->share ? left : plan->share;
    const ELEMENT *const data = (const ELEMENT *)plan->data +
                                opmill_reduce_offset(&plan->kept, task / tasks) + first;
    ELEMENT *const to = (ELEMENT *)plan->to + task / tasks * plan->length + first;
    PART sums[OPMILL_REDUCE_COLUMNS] = {0};
    WHOLE totals[OPMILL_REDUCE_COLUMNS] = {0};
    int64_t index[OPMILL_MAX_RANK] = {0}, offset = 0;
    (void)worker;
    for (int64_t i = 0; i < plan->gone.size; i++) {
        const ELEMENT *const row = data + offset;
        for (int64_t k = 0; k < width; k++) {
            sums[k] += LOAD(row[k]);
        }
        if (i % OPMILL_REDUCE_ROWS == OPMILL_REDUCE_ROWS - 1 || i + 1 == plan->gone.size) {
            for (int64_t k = 0; k < width; k++) {
                totals[k] += (WHOLE)sums[k];
                sums[k] = 0;
            }
        }
        opmill_reduce_step(&plan->gone, index, &offset);
    }
    for (int64_t k = 0; k < width; k++) {
        to[k] = STORE(totals[k]);
    }
}

#undef NAME
#undef ELEMENT
#undef PART
#undef WHOLE
#undef MEMBER
#undef LOAD
#undef STORE
