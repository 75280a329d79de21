/* Einsum: each input in turn is taken together with what came before it, as a batch of products of
 * matrices. Labels of one input alone that the output lacks are summed first; labels of both that
 * nobody needs later are summed by the product. Matrices are read where they are if their rows and
 * columns have a step each, else copied side by side. */
#include "families/einsum/kernel.h"

#include <string.h>

#include "families/einsum/equation.h"
#include "families/einsum/gather.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"
#include "runtime/call/workspace.h"

/* The workspace, from which each step takes what it needs. */
typedef struct arena {
    unsigned char *base;
    int64_t used;
    bool overflows;
    bool executes; /* else it is only measured */
} arena;

typedef struct labels {
    int32_t count;
    uint8_t list[EINSUM_LABELS];
    int64_t size; /* positions of all together */
} labels;

typedef struct einsum_job {
    einsum_equation equation;
    einsum_view view; /* of the input that is taken next */
    int32_t sums;     /* the type of sums */
    int32_t count;    /* of inputs */
    void *output;
    int32_t output_type;
    arena memory;
    const opmill_context *context;
} einsum_job;

static void *allocate(arena *memory, int64_t count, int64_t bytes) {
    const int64_t begin = memory->used;
    int64_t wanted;
    if (opmill_mul(count, bytes, &wanted) ||
        opmill_add(wanted, OPMILL_WORKSPACE_ALIGNMENT - 1, &wanted) ||
        opmill_add(begin, wanted / OPMILL_WORKSPACE_ALIGNMENT * OPMILL_WORKSPACE_ALIGNMENT,
                   &memory->used)) {
        memory->overflows = true;
        return NULL;
    }
    return memory->base == NULL ? NULL : memory->base + begin;
}

static int32_t position_of(const einsum_view *view, int32_t label) {
    int32_t k = 0;
    while (k < view->rank && view->labels[k] != label) {
        k++;
    }
    return k;
}

static void add_label(einsum_job *job, labels *group, int32_t label) {
    group->list[group->count++] = (uint8_t)label;
    if (opmill_mul(group->size, job->equation.sizes[label], &group->size)) {
        job->memory.overflows = true;
        group->size = 1;
    }
}

/* A view of adjacent elements, in the order of its labels. */
static void adjacent(einsum_job *job, einsum_view *view, const uint8_t *list, int32_t count,
                     void *data, int32_t type) {
    int64_t step = 1;
    view->data = data;
    view->type = type;
    view->rank = count;
    for (int32_t i = count - 1; i >= 0; i--) {
        view->labels[i] = list[i];
        view->steps[i] = step;
        if (opmill_mul(step, job->equation.sizes[list[i]], &step)) {
            job->memory.overflows = true;
            step = 1;
        }
    }
}

/* Replaces a view by a copy, or sums, of these labels. */
static void copy_view(einsum_job *job, einsum_view *view, const labels *order, int32_t type) {
    void *const data = allocate(&job->memory, order->size, opmill_type_bytes(type));
    if (job->memory.executes && !job->memory.overflows) {
        opmill_einsum_gather(view, &job->equation, order->list, order->count, data, type);
    }
    adjacent(job, view, order->list, order->count, data, type);
}

/* Sums over the labels that no other input has, nor the output. */
static void sum_alone(einsum_job *job, einsum_view *view) {
    labels remaining = {0, {0}, 1};
    for (int32_t i = 0; i < view->rank; i++) {
        const int32_t label = view->labels[i];
        if (job->equation.uses[label] > 1 || job->equation.in_output[label]) {
            add_label(job, &remaining, label);
        }
    }
    if (remaining.count < view->rank) {
        copy_view(job, view, &remaining, job->sums);
    }
}

/* True if labels lie within each other, so that one step leads through all of them. */
static bool has_step(const einsum_job *job, const einsum_view *view, const labels *group,
                     int64_t *step) {
    *step = 0;
    for (int32_t i = group->count - 1; i >= 0; i--) {
        const int64_t own = view->steps[position_of(view, group->list[i])];
        if (i == group->count - 1) {
            *step = own;
        } else if (own != view->steps[position_of(view, group->list[i + 1])] *
                              job->equation.sizes[group->list[i + 1]]) {
            return false;
        }
    }
    return true;
}

/* What a matrix is: whose rows and columns, in a batch, go by these labels. */
static void make_matrix(einsum_job *job, einsum_view *view, const labels *batch, const labels *rows,
                        const labels *columns, int64_t *row, int64_t *column) {
    const bool narrow = opmill_type_bytes(view->type) < 4 && job->sums == OPMILL_UINT32;
    if (has_step(job, view, rows, row) && has_step(job, view, columns, column) && !narrow) {
        return;
    }
    labels order = {0, {0}, 1};
    const labels *const groups[] = {batch, rows, columns};
    for (int32_t g = 0; g < 3; g++) {
        for (int32_t i = 0; i < groups[g]->count; i++) {
            add_label(job, &order, groups[g]->list[i]);
        }
    }
    copy_view(job, view, &order, narrow ? job->sums : view->type);
    (void)has_step(job, view, rows, row);
    (void)has_step(job, view, columns, column);
}

/* The type by which the product reads: of integers the sign does not matter. */
static int32_t type_of(const einsum_job *job, int32_t type) {
    const bool whole = job->sums == OPMILL_UINT32 || job->sums == OPMILL_UINT64;
    return whole ? job->sums : type;
}

/* Sorts labels by where the output has them; those that it lacks come last, in their order. */
static void sort_labels(const einsum_job *job, labels *group) {
    uint8_t positions[EINSUM_LABELS];
    for (int32_t label = 0; label < EINSUM_LABELS; label++) {
        positions[label] = EINSUM_LABELS;
    }
    for (int32_t i = 0; i < job->equation.rank; i++) {
        positions[job->equation.labels[i]] = (uint8_t)i;
    }
    for (int32_t i = 1; i < group->count; i++) {
        const uint8_t label = group->list[i];
        int32_t k = i;
        for (; k > 0 && positions[group->list[k - 1]] > positions[label]; k--) {
            group->list[k] = group->list[k - 1];
        }
        group->list[k] = label;
    }
}

/* True if the output's labels are those of three groups. */
static bool is_output(const einsum_job *job, const labels *a, const labels *b, const labels *c) {
    const labels *const groups[] = {a, b, c};
    int32_t at = 0;
    for (int32_t g = 0; g < 3; g++) {
        for (int32_t i = 0; i < groups[g]->count; i++, at++) {
            if (at >= job->equation.rank || job->equation.labels[at] != groups[g]->list[i]) {
                return false;
            }
        }
    }
    return at == job->equation.rank;
}

/* Takes `b`, which is input number `number`, together with `a`. Returns whether the output has been
 * written. */
static bool multiply(einsum_job *job, einsum_view *a, einsum_view *b, int32_t number) {
    labels batch = {0, {0}, 1}, inner = {0, {0}, 1}, rows = {0, {0}, 1}, columns = {0, {0}, 1};
    const einsum_equation *const equation = &job->equation;
    for (int32_t i = 0; i < a->rank; i++) {
        const int32_t label = a->labels[i];
        const bool shared = position_of(b, label) < b->rank;
        const bool later = equation->in_output[label] || equation->last[label] > number;
        add_label(job, !shared ? &rows : later ? &batch : &inner, label);
    }
    for (int32_t i = 0; i < b->rank; i++) {
        if (position_of(a, b->labels[i]) == a->rank) {
            add_label(job, &columns, b->labels[i]);
        }
    }
    const bool last = number == job->count - 1;
    if (last) {
        sort_labels(job, &batch);
        sort_labels(job, &rows);
        sort_labels(job, &columns);
    }
    const bool turned =
        last && !is_output(job, &batch, &rows, &columns) && is_output(job, &batch, &columns, &rows);
    if (turned) {
        const labels other = rows;
        einsum_view *const view = a;
        rows = columns;
        columns = other;
        a = b;
        b = view;
    }
    opmill_matrix_product product;
    opmill_product_layout layout;
    /* Labels of a batch are labels of an input, too. */
    int64_t a_steps[OPMILL_MAX_RANK], b_steps[OPMILL_MAX_RANK], dims[OPMILL_MAX_RANK], size;
    memset(&product, 0, sizeof product);
    make_matrix(job, a, &batch, &rows, &inner, &product.a_row, &product.a_column);
    make_matrix(job, b, &batch, &inner, &columns, &product.b_row, &product.b_column);
    for (int32_t i = 0; i < batch.count; i++) {
        dims[i] = equation->sizes[batch.list[i]];
        a_steps[i] = a->steps[position_of(a, batch.list[i])];
        b_steps[i] = b->steps[position_of(b, batch.list[i])];
    }
    const bool direct = last && is_output(job, &batch, &rows, &columns) &&
                        (opmill_type_bytes(job->output_type) >= 4 || job->sums == OPMILL_FLOAT);
    product.m = rows.size;
    product.n = columns.size;
    product.k = inner.size;
    product.type = job->sums;
    product.a_type = type_of(job, a->type);
    product.b_type = type_of(job, b->type);
    product.c_type = direct ? job->output_type : job->sums;
    product.a = a->data;
    product.b = b->data;
    product.c_row = columns.size;
    product.batches = batch.size;
    product.batch_rank = batch.count;
    product.batch_dims = dims;
    product.a_batch = a_steps;
    product.b_batch = b_steps;
    product.alpha = 1;
    if (opmill_mul(rows.size, columns.size, &product.c_batch) ||
        opmill_mul(product.c_batch, batch.size, &size)) {
        job->memory.overflows = true;
        return true;
    }
    product.c = direct ? job->output : allocate(&job->memory, size, opmill_type_bytes(job->sums));
    opmill_product_lay_out(&layout, &product, job->context);
    const uint64_t scratch = opmill_product_workspace(&layout);
    if (scratch > INT64_MAX - OPMILL_WORKSPACE_ALIGNMENT) {
        job->memory.overflows = true;
        return true;
    }
    void *const workspace = allocate(&job->memory, (int64_t)scratch, 1);
    if (job->memory.executes) {
        opmill_product_run(&layout, workspace);
    }
    labels order = {0, {0}, 1};
    const labels *const groups[] = {&batch, &rows, &columns};
    for (int32_t g = 0; g < 3; g++) {
        for (int32_t i = 0; i < groups[g]->count; i++) {
            order.list[order.count++] = groups[g]->list[i];
        }
    }
    adjacent(job, turned ? b : a, order.list, order.count, product.c, job->sums);
    return direct;
}

/* Computes a call, or measures what it needs, where there is no workspace. */
static void run(einsum_job *job, const char *text, const opmill_tensor *const *inputs) {
    einsum_view a, *const b = &job->view;
    const char *term = opmill_einsum_view(&a, &job->equation, text, inputs[0]);
    bool written = false;
    if (job->count > 1) {
        sum_alone(job, &a);
    }
    for (int32_t k = 1; k < job->count && !job->memory.overflows; k++) {
        term = opmill_einsum_view(b, &job->equation, term, inputs[k]);
        sum_alone(job, b);
        written = multiply(job, &a, b, k);
    }
    if (!written && job->output != NULL) {
        opmill_einsum_gather(&a, &job->equation, job->equation.labels, job->equation.rank,
                             job->output, job->output_type);
    }
}

static void describe(einsum_job *job, const opmill_tensor *const *inputs, int32_t count,
                     const opmill_einsum_plan *plan, const opmill_context *context) {
    opmill_einsum_read(&job->equation, plan->equation, inputs, count);
    job->sums = opmill_product_sums(inputs[0]->type);
    job->count = count;
    job->output = NULL;
    job->output_type = inputs[0]->type;
    memset(&job->memory, 0, sizeof job->memory);
    job->context = context;
}

size_t opmill_einsum_workspace_bytes(const opmill_tensor *const *Inputs, int32_t Inputs_count,
                                     const opmill_shape *Output, const opmill_einsum_plan *plan,
                                     const opmill_context *context) {
    einsum_job job;
    (void)Output;
    describe(&job, Inputs, Inputs_count, plan, context);
    if (job.equation.empty) {
        return 0;
    }
    run(&job, plan->equation, Inputs);
    return job.memory.overflows ? SIZE_MAX : opmill_workspace_size((uint64_t)job.memory.used);
}

int opmill_einsum_compute(const opmill_tensor *const *Inputs, int32_t Inputs_count,
                          opmill_tensor *Output, const opmill_einsum_plan *plan,
                          opmill_context *context) {
    einsum_job job;
    const int64_t size = opmill_product_size(Output->dims, Output->rank);
    if (size == 0) {
        return OPMILL_OK;
    }
    describe(&job, Inputs, Inputs_count, plan, context);
    if (job.equation.empty) {
        memset(Output->data, 0, (size_t)size * (size_t)opmill_type_bytes(Output->type));
        return OPMILL_OK;
    }
    job.output = Output->data;
    job.memory.executes = true;
    job.memory.base = opmill_workspace_begin(context->workspace);
    run(&job, plan->equation, Inputs);
    return OPMILL_OK;
}
