/* A segment: consecutive nodes of a graph that one call computes. It is planned for inputs of given
 * types and shapes, where these determine all other shapes: what a node is called with is prepared
 * once, and values that no one else reads are located in scratch memory.
 *
 * A segment only ever computes what the nodes would compute one by one. Where inputs differ from
 * those that it is planned for, and where a node refuses a call, it reports so and leaves all
 * values as they were: the caller then runs the nodes one by one, which raises the error. */
#ifndef OPMILL_NATIVE_SEGMENT_H
#define OPMILL_NATIVE_SEGMENT_H

#include <stddef.h>

#include "call.h"
#include "kernel.h"

/* Constants of so many bytes are computed when a segment is planned: shapes, not weights. */
enum { MAX_FOLDED_BYTES = 4096 };

/* Properties of a step besides its call: a set of these bits. */
enum { PASSES_ELEMENTS = 1, READS_SHAPES = 2 };

/* Values that plan_segment returns in place of a segment or of the position of a step. */
enum { ELSEWHERE = -1, TOO_LARGE = -2 };

/* Where a value is located. */
typedef enum location {
    IN_SCRATCH, /* at an offset */
    IN_CONSTANT,
    IN_INPUT,
    IN_OUTPUT
} location;

typedef struct slot {
    location where;
    int32_t index; /* of the input or output */
    int32_t root;  /* the slot whose memory this one shares; itself otherwise */
    int32_t last;  /* the last node that reads this memory; of a root */
    size_t offset, bytes;
} slot;

typedef struct node {
    const opmill_operator *operator;
    const void *attributes;
    int32_t *inputs, *outputs; /* slots; -1 for an absent one */
    int32_t input_count, output_count;
    opmill_prepared *prepared;
    size_t prepared_count;
    size_t arranged_bytes; /* of the block of its attributes; 0 for none */
    size_t workspace;
    opmill_limits limits; /* of its elements, if they are limited */
    bool is_limited;
    bool is_small;
} node;

/* A value from outside, or for outside. */
typedef struct boundary {
    Py_ssize_t number;
    int32_t slot;
    PyObject *constant; /* of a constant, what it must be: held by the segment */
} boundary;

/* How the runs of a whole graph reach a segment that computes it: the inputs that they give, as
 * these were in a run that the caller has checked, and the results. */
typedef struct entry {
    PyObject *names;      /* a tuple, of the inputs in order */
    opmill_tensor *given; /* the types and shapes of all of them; not their data */
    int32_t *positions;   /* by input: that among the inputs of the segment; -1 for an unread one */
    int32_t *results;     /* by result: its position among the outputs of the segment */
    int32_t result_count;
} entry;

/* Memory that the calls of one run read: the tensors of all slots and, node after node, pointers to
 * those of its inputs and outputs. */
typedef struct frame {
    opmill_tensor *tensors;
    const opmill_tensor **inputs;
    opmill_tensor **outputs;
    const char *memory; /* the scratch memory that the tensors point to */
} frame;

typedef struct Segment {
    PyObject_HEAD arena arena;
    PyObject *owned; /* a list: constants, attributes, and blocks of these */
    slot *slots;
    opmill_tensor *tensors; /* by slot; `data` is set of constants alone */
    node *nodes;
    boundary *inputs, *constants, *outputs;
    Py_ssize_t *released; /* the numbers of values that nothing reads afterwards */
    int32_t slot_count, node_count, input_count, constant_count, output_count;
    int32_t released_count, pointer_count;
    size_t value_bytes, workspace;
    int32_t isa, threads;
    frame *idle;  /* that of an earlier run, or NULL */
    entry *entry; /* NULL for none */
} Segment;

static PyObject *segment_type;

static void frame_free(frame *part) {
    if (part != NULL) {
        PyMem_Free(part->tensors);
        PyMem_Free(part->inputs);
        PyMem_Free(part->outputs);
        PyMem_Free(part);
    }
}

static void Segment_dealloc(Segment *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    Py_XDECREF(self->owned);
    if (self->entry != NULL) {
        Py_DECREF(self->entry->names);
    }
    frame_free(self->idle);
    arena_close(&self->arena);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

#endif
