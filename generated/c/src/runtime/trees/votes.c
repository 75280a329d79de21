/* See votes.h. Blocks of rows pass tree after tree, so that a tree is read from near memory; few
 * rows pass several trees at once. Votes are added in the order of trees in both. */
#include "runtime/trees/votes.h"

#include <string.h>

#include "runtime/numbers/integers.h"
#include "runtime/call/prepared.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"
#include "runtime/trees/parts.h"
#include "runtime/trees/walk.h"
#include "runtime/call/workspace.h"

enum {
    LANES = OPMILL_WALK_LANES,
    BLOCK_ROWS = 256,
    BLOCK_BYTES = 1 << 16,  /* of the features of a block, if it has more than LANES rows */
    BLOCK_SCORES = 1 << 14, /* the same of scores */
    THREAD_STEPS = 1 << 14, /* minimum number of steps for which a thread pays off */
    MIN_BLOCK = 2 * LANES
};

/* The memory of a thread, and the size of its blocks. */
typedef struct block {
    int64_t rows, row_size; /* row_size: a power of 2 */
    void *features;         /* floats or doubles, as the nodes have */
    double *scores;
    unsigned char *seen; /* of each score, whether there has been a vote */
    uint32_t *leaves;    /* of each row, or of LANES trees */
} block;

static int64_t padded(int64_t rows) { return (rows + LANES - 1) / LANES * LANES; }

static uint64_t set_block(block *part, const opmill_forest_counts *counts, const opmill_tensor *X,
                          int64_t targets, void *memory) {
    const size_t size = counts->doubles ? sizeof(double) : sizeof(float);
    opmill_parts parts = {memory, 0};
    int64_t rows = opmill_min(BLOCK_ROWS, X->dims[0]);
    part->row_size = 1;
    while (part->row_size < X->dims[1]) {
        part->row_size *= 2;
    }
    while (rows > LANES && ((uint64_t)rows * (uint64_t)part->row_size * size > BLOCK_BYTES ||
                            rows * opmill_min(targets, BLOCK_SCORES) > BLOCK_SCORES)) {
        rows = (rows + 1) / 2;
    }
    part->rows = rows;
    part->features = opmill_part(&parts, padded(rows) * part->row_size, size);
    part->scores = opmill_part(&parts, rows * targets, sizeof *part->scores);
    part->seen = opmill_part(&parts, rows * targets, sizeof *part->seen);
    part->leaves = opmill_part(&parts, padded(rows), sizeof *part->leaves);
    return parts.bytes;
}

/* The threads that a call uses at most. */
static int32_t thread_count(const opmill_tensor *X, const opmill_context *context) {
    const int64_t blocks = (X->dims[0] + MIN_BLOCK - 1) / MIN_BLOCK;
    const int32_t threads = opmill_parallel_threads(context->threads);
    return blocks < threads ? (int32_t)(blocks > 1 ? blocks : 1) : threads;
}

uint64_t opmill_forest_run_bytes(const opmill_forest_counts *counts, const opmill_tensor *X,
                                 int64_t targets, const opmill_context *context) {
    block part;
    int64_t scores;
    if (X->dims[0] == 0) {
        return 0;
    }
    if (X->dims[1] > OPMILL_FOREST_FEATURES || opmill_mul(targets, BLOCK_ROWS, &scores) ||
        scores > INT64_MAX / 64) {
        return UINT64_MAX;
    }
    const uint64_t bytes = set_block(&part, counts, X, targets, NULL);
    const uint64_t threads = (uint64_t)thread_count(X, context);
    return bytes < UINT64_MAX / threads / 2 ? bytes * threads : UINT64_MAX;
}

size_t opmill_forest_workspace(uint64_t form, uint64_t building, uint64_t run) {
    const uint64_t rest = building > run ? building : run;
    return form < UINT64_MAX / 2 && rest < UINT64_MAX / 2 ? opmill_workspace_size(form + rest)
                                                          : SIZE_MAX;
}

opmill_forest opmill_forest_prepared(const opmill_forest_counts *counts,
                                     const opmill_context *context) {
    const void *const form = opmill_prepared_form(context, OPMILL_PREPARE_ATTRIBUTES);
    opmill_forest forest = {.head = NULL};
    return form != NULL ? opmill_forest_at(counts, (void *)(uintptr_t)form) : forest;
}

/* A sum in the type in which votes are added: that of two floats in double, rounded to float, is
 * their sum in float. */
static double sum_of(const opmill_forest *forest, double a, double b) {
    return forest->counts.wide ? a + b : (double)(float)(a + b);
}

double opmill_forest_based(const opmill_forest *forest, double score, const opmill_tensor *base,
                           int64_t i) {
    if (base == NULL) {
        return score;
    }
    const double added = opmill_real_at(base->data, base->type, i);
    return sum_of(forest, score, forest->counts.wide ? added : (double)(float)added);
}

/* The work of all threads. */
typedef struct shared {
    const opmill_forest_job *job;
    block first; /* that of the first worker */
    uint64_t block_bytes;
    int64_t share; /* the rows of a task */
    opmill_walk walk;
} shared;

/* Copies features; integers become floats first if they are compared with such. */
static void read_row(const opmill_forest_job *job, int64_t row, const block *part, int64_t to) {
    const opmill_tensor *const X = job->X;
    const int64_t count = X->dims[1], first = row * count;
    float *const floats = (float *)part->features + to * part->row_size;
    double *const doubles = (double *)part->features + to * part->row_size;
    const bool wide = job->forest->doubles != NULL;
    const size_t size = wide ? sizeof *doubles : sizeof *floats;
    memset((char *)part->features + (size_t)(to * part->row_size + count) * size, 0,
           (size_t)(part->row_size - count) * size);
    if (X->type == OPMILL_FLOAT && !wide) {
        memcpy(floats, (const float *)X->data + first, (size_t)count * sizeof *floats);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        double x;
        if (X->type == OPMILL_INT64) {
            const int64_t given = ((const int64_t *)X->data)[first + i];
            x = job->narrows ? (double)(float)given : (double)given;
        } else if (X->type == OPMILL_INT32) {
            const int32_t given = ((const int32_t *)X->data)[first + i];
            x = job->narrows ? (double)(float)given : (double)given;
        } else {
            x = opmill_real_at(X->data, X->type, first + i);
        }
        if (wide) {
            doubles[i] = x;
        } else {
            floats[i] = (float)x;
        }
    }
}

/* Adds one vote to a row, where no target lacks votes and no weight is -0. */
static void add_single(const opmill_forest *forest, const uint32_t *leaves, int64_t count,
                       double *scores) {
    if (forest->counts.wide) {
        for (int64_t i = 0; i < count; i++) {
            scores[i] += forest->weights[leaves[i] & forest->leaf_mask];
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            scores[i] = (double)(float)(scores[i] + forest->weights[leaves[i] & forest->leaf_mask]);
        }
    }
}

static double joined(const opmill_forest *forest, int64_t aggregate, double a, double b) {
    switch (aggregate) {
    case OPMILL_AGGREGATE_MIN:
        return b < a ? b : a;
    case OPMILL_AGGREGATE_MAX:
        return b > a ? b : a;
    default:
        return sum_of(forest, a, b);
    }
}

/* Adds the votes of a leaf to the scores of a row. */
static void add_votes(const opmill_forest_job *job, uint32_t leaf, double *scores,
                      unsigned char *seen) {
    const opmill_forest *const forest = job->forest;
    const uint32_t votes = (uint32_t)forest->counts.votes, *const firsts = forest->firsts;
    const uint32_t first = firsts[leaf & forest->leaf_mask];
    const uint32_t end = firsts[(leaf & forest->leaf_mask) + 1];
    const bool adds =
        job->aggregate <= OPMILL_AGGREGATE_SUM && forest->head->has_negative_zero == 0;
    for (uint32_t i = first; i < end && i < votes; i++) {
        const int64_t target = (int64_t)forest->targets[i] - job->first_target;
        if (target < 0 || target >= job->targets) {
            continue;
        }
        if (adds) { /* to 0, which has no effect on a number but -0 */
            scores[target] = sum_of(forest, scores[target], forest->weights[i]);
        } else {
            scores[target] = seen[target] != 0 ? joined(forest, job->aggregate, scores[target],
                                                        forest->weights[i])
                                               : forest->weights[i];
            seen[target] = 1;
        }
    }
}

static bool adds_single(const opmill_forest_job *job) {
    const opmill_forest_head *const head = job->forest->head;
    return head->is_single != 0 && head->has_negative_zero == 0 && job->targets == 1 &&
           job->aggregate <= OPMILL_AGGREGATE_SUM;
}

static uint32_t tree_count(const opmill_forest *forest) {
    return forest->head->trees < (uint64_t)forest->counts.trees ? forest->head->trees
                                                                : (uint32_t)forest->counts.trees;
}

/* Several rows pass tree after tree. */
static void pass_rows(const shared *all, const block *part, int64_t rows) {
    const opmill_forest_job *const job = all->job;
    const opmill_forest *const forest = job->forest;
    const size_t row_bytes =
        (size_t)part->row_size * (forest->doubles != NULL ? sizeof(double) : sizeof(float));
    const uint32_t trees = tree_count(forest);
    opmill_walk walk = all->walk;
    walk.root_step = 0;
    walk.row_step = part->row_size;
    for (uint32_t tree = 0; tree < trees; tree++) {
        for (int64_t row = 0; row < rows; row += LANES) {
            opmill_walk_lanes(forest, &walk, forest->roots + tree,
                              (const char *)part->features + (size_t)row * row_bytes,
                              part->leaves + row);
        }
        if (adds_single(job)) {
            add_single(forest, part->leaves, rows, part->scores);
        } else {
            for (int64_t row = 0; row < rows; row++) {
                add_votes(job, part->leaves[row], part->scores + row * job->targets,
                          part->seen + row * job->targets);
            }
        }
    }
}

/* One row passes several trees at once. */
static void pass_trees(const shared *all, const block *part, int64_t row) {
    const opmill_forest_job *const job = all->job;
    const opmill_forest *const forest = job->forest;
    const size_t row_bytes =
        (size_t)part->row_size * (forest->doubles != NULL ? sizeof(double) : sizeof(float));
    const void *const features = (const char *)part->features + (size_t)row * row_bytes;
    const uint32_t trees = tree_count(forest);
    double *const scores = part->scores + row * job->targets;
    opmill_walk walk = all->walk;
    walk.root_step = 1;
    walk.row_step = 0;
    for (uint32_t tree = 0; tree < trees; tree += LANES) {
        const uint32_t count = trees - tree < LANES ? trees - tree : LANES;
        uint32_t roots[LANES], leaves[LANES];
        for (uint32_t lane = 0; lane < LANES; lane++) {
            roots[lane] = forest->roots[tree + (lane < count ? lane : 0)];
        }
        opmill_walk_lanes(forest, &walk, roots, features, leaves);
        for (uint32_t lane = 0; lane < count; lane++) {
            if (adds_single(job)) {
                add_single(forest, leaves + lane, 1, scores);
            } else {
                add_votes(job, leaves[lane], scores, part->seen + row * job->targets);
            }
        }
    }
}

static void finish_rows(const shared *all, const block *part, int64_t first, int64_t rows) {
    const opmill_forest_job *const job = all->job;
    const opmill_forest *const forest = job->forest;
    const double trees = tree_count(forest) > 1 ? (double)tree_count(forest) : 1;
    for (int64_t row = 0; row < rows; row++) {
        double *const scores = part->scores + row * job->targets;
        for (int64_t i = 0; i < job->targets && job->aggregate == OPMILL_AGGREGATE_AVERAGE; i++) {
            scores[i] =
                forest->counts.wide ? scores[i] / trees : (double)((float)scores[i] / (float)trees);
        }
        job->finish(job, first + row, scores);
    }
}

static void run_block(const shared *all, const block *part, int64_t first, int64_t rows) {
    const opmill_forest_job *const job = all->job;
    for (int64_t row = 0; row < rows; row++) {
        read_row(job, first + row, part, row);
    }
    memset(part->scores, 0, (size_t)(rows * job->targets) * sizeof *part->scores);
    memset(part->seen, 0, (size_t)(rows * job->targets));
    if (rows < LANES / 2) {
        for (int64_t row = 0; row < rows; row++) {
            pass_trees(all, part, row);
        }
    } else {
        for (int64_t row = rows; row < padded(rows); row++) {
            read_row(job, first, part, row); /* any row: its leaves are not read */
        }
        pass_rows(all, part, rows);
    }
    finish_rows(all, part, first, rows);
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const shared *const all = state;
    const opmill_forest_job *const job = all->job;
    const int64_t first = task * all->share;
    const int64_t end = opmill_min(first + all->share, job->X->dims[0]);
    block part;
    set_block(&part, &job->forest->counts, job->X, job->targets,
              (char *)all->first.features + (size_t)worker * (size_t)all->block_bytes);
    for (int64_t row = first; row < end; row += part.rows) {
        run_block(all, &part, row, opmill_min(part.rows, end - row));
    }
}

void opmill_forest_run(const opmill_forest_job *job, void *scratch, const opmill_context *context) {
    const opmill_forest *const forest = job->forest;
    const int64_t rows = job->X->dims[0];
    int32_t threads = thread_count(job->X, context);
    shared all;
    if (rows == 0) {
        return;
    }
    all.job = job;
    all.block_bytes = set_block(&all.first, &forest->counts, job->X, job->targets, scratch);
    all.walk.node_mask = forest->node_mask;
    all.walk.feature_mask = (uint32_t)(all.first.row_size - 1);
    all.walk.depth = forest->head->depth <= forest->node_mask ? forest->head->depth : 0;
    const double steps = (double)rows * (double)tree_count(forest) * ((double)all.walk.depth + 1);
    if (steps / THREAD_STEPS < (double)threads) {
        threads = steps >= 2 * THREAD_STEPS ? (int32_t)(steps / THREAD_STEPS) : 1;
    }
    all.share = opmill_min(all.first.rows, (rows - 1) / threads + 1);
    opmill_parallel((rows - 1) / all.share + 1, threads, run_task, &all);
}
