/* The loops for one type and instruction set; reduce_types.h includes this.
 *
 * ELEMENT is what memory holds, PART what a block is summed in, WHOLE what blocks are added in,
 * MEMBER where a WHOLE is kept in an opmill_reduce_part; FETCH(from, space, count) gives elements
 * as parts, in a space of SPACE of them where they are no parts yet, and STORE rounds a WHOLE. */
enum { NAME(LANES) = 32 };

/* The sum of up to a block of adjacent elements: lanes first, then pairs of lanes. */
static PART NAME(block)(const ELEMENT *from, int64_t count) {
    PART space[SPACE], lanes[NAME(LANES)] = {0}, rest = 0;
    const PART *const parts = FETCH(from, space, count);
    int64_t i = 0;
    (void)space;
    if (count >= NAME(LANES)) {
        for (; i + NAME(LANES) <= count; i += NAME(LANES)) {
            for (int64_t k = 0; k < NAME(LANES); k++) {
                lanes[k] += parts[i + k];
            }
        }
        OPMILL_REDUCE_VECTORS
        for (int64_t k = 0; k < 16; k++) {
            lanes[k] += lanes[k + 16];
        }
        OPMILL_REDUCE_VECTORS
        for (int64_t k = 0; k < 8; k++) {
            lanes[k] += lanes[k + 8];
        }
        OPMILL_REDUCE_VECTORS
        for (int64_t k = 0; k < 4; k++) {
            lanes[k] += lanes[k + 4];
        }
        lanes[0] = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    }
    for (; i < count; i++) {
        rest += parts[i];
    }
    return lanes[0] + rest;
}

static WHOLE NAME(run)(const ELEMENT *from, int64_t count) {
    WHOLE total = 0;
    for (int64_t i = 0; i < count; i += OPMILL_REDUCE_BLOCK) {
        const int64_t left = count - i;
        total +=
            (WHOLE)NAME(block)(from + i, left < OPMILL_REDUCE_BLOCK ? left : OPMILL_REDUCE_BLOCK);
    }
    return total;
}

/* A share of the one sum of all elements. */
static void NAME(part)(void *state, int64_t task, int32_t worker) {
    const opmill_reduce_walk *const walk = state;
    const int64_t from = task * walk->share, left = walk->length - from;
    (void)worker;
    walk->parts[task].MEMBER =
        NAME(run)((const ELEMENT *)walk->data + from, left < walk->share ? left : walk->share);
}

/* The one sum, of the sums of its shares. */
static void NAME(join)(const opmill_reduce_walk *walk) {
    WHOLE total = 0;
    for (int64_t i = 0; i < walk->shares; i++) {
        total += (WHOLE)walk->parts[i].MEMBER;
    }
    *(ELEMENT *)walk->to = STORE(total);
}

/* A share of the sums whose innermost elements are adjacent. */
static void NAME(rows)(void *state, int64_t task, int32_t worker) {
    const opmill_reduce_walk *const walk = state;
    const int64_t first = task * walk->share, left = walk->kept.size - first;
    const int64_t end = left < walk->share ? walk->kept.size : first + walk->share;
    opmill_reduce_place row = opmill_reduce_begin(&walk->kept, first);
    (void)worker;
    for (int64_t k = first; k < end; k++) {
        const ELEMENT *const data = (const ELEMENT *)walk->data + row.offset;
        WHOLE total = NAME(run)(data, walk->length);
        if (walk->gone.size > 1) {
            opmill_reduce_place run = opmill_reduce_begin(&walk->gone, 0);
            for (int64_t i = 1; i < walk->gone.size; i++) {
                opmill_reduce_step(&walk->gone, &run);
                total += NAME(run)(data + run.offset, walk->length);
            }
        }
        ((ELEMENT *)walk->to)[k] = STORE(total);
        opmill_reduce_step(&walk->kept, &row);
    }
}

/* Adds whole rows of elements, a few of them before they go to the totals. */
static void NAME(add_rows)(const opmill_reduce_walk *walk, const ELEMENT *data, int64_t width,
                           WHOLE *totals) {
    PART space[SPACE], sums[OPMILL_REDUCE_COLUMNS];
    opmill_reduce_place row = opmill_reduce_begin(&walk->gone, 0);
    (void)space;
    for (int64_t k = 0; k < width; k++) {
        totals[k] = 0;
    }
    for (int64_t i = 0; i < walk->gone.size;) {
        const int64_t left = walk->gone.size - i;
        const int64_t end = i + (left < OPMILL_REDUCE_ROWS ? left : OPMILL_REDUCE_ROWS);
        for (int64_t k = 0; k < width; k++) {
            sums[k] = 0;
        }
        for (; i < end; i++) {
            const PART *const parts = FETCH(data + row.offset, space, width);
            for (int64_t k = 0; k < width; k++) {
                sums[k] += parts[k];
            }
            opmill_reduce_step(&walk->gone, &row);
        }
        for (int64_t k = 0; k < width; k++) {
            totals[k] += (WHOLE)sums[k];
        }
    }
}

/* Some groups of adjacent sums. */
static void NAME(columns)(void *state, int64_t task, int32_t worker) {
    const opmill_reduce_walk *const walk = state;
    const int64_t last = walk->kept.size * walk->groups, sums = walk->length / walk->fold;
    int64_t group = task * walk->share;
    const int64_t end = last - group < walk->share ? last : group + walk->share;
    opmill_reduce_place matrix = opmill_reduce_begin(&walk->kept, group / walk->groups);
    PART space[SPACE];
    WHOLE totals[OPMILL_REDUCE_COLUMNS];
    (void)space;
    (void)worker;
    for (; group < end; group++) {
        const int64_t at = group % walk->groups, first = at * walk->width;
        const int64_t left = walk->length - first;
        const int64_t width = left < walk->width ? left : walk->width;
        const ELEMENT *const data = (const ELEMENT *)walk->data + matrix.offset + first;
        ELEMENT *const to = (ELEMENT *)walk->to + group / walk->groups * sums + first;
        NAME(add_rows)(walk, data, width, totals);
        const PART *const rest = FETCH(data + walk->gone.size * walk->length, space, walk->rest);
        for (int64_t k = 0; k < walk->rest; k++) {
            totals[k] += (WHOLE)rest[k];
        }
        for (int64_t i = 1; i < walk->fold; i++) {
            for (int64_t k = 0; k < sums; k++) {
                totals[k] += totals[i * sums + k];
            }
        }
        for (int64_t k = 0; k < width / walk->fold; k++) {
            to[k] = STORE(totals[k]);
        }
        if (at + 1 == walk->groups) {
            opmill_reduce_step(&walk->kept, &matrix);
        }
    }
}

#undef NAME
#undef ELEMENT
#undef PART
#undef WHOLE
#undef MEMBER
#undef SPACE
#undef FETCH
#undef STORE
