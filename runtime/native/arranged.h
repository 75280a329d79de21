/* The attributes of a planned step: read once for all segments of the step, with what the C library
 * arranges of them, as an ensemble of trees, once for each type and number of features. */
#ifndef OPMILL_NATIVE_ARRANGED_H
#define OPMILL_NATIVE_ARRANGED_H

#include "call.h"
#include "kernel.h"

typedef struct Arranged {
    PyObject_HEAD arena arena;
    PyObject *owned;  /* a list: the arrays behind the attributes */
    PyObject *blocks; /* a list of Packed */
    const void *attributes;
} Arranged;

/* Blocks that are retained for later segments. */
enum { MAX_BLOCKS = 8 };

static PyObject *arranged_type;

static void Arranged_dealloc(Arranged *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    Py_XDECREF(self->owned);
    Py_XDECREF(self->blocks);
    arena_close(&self->arena);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

/* Of the blocks. */
static PyObject *Arranged_nbytes(PyObject *self, void *unused) {
    PyObject *blocks = ((Arranged *)self)->blocks;
    size_t bytes = 0;
    (void)unused;
    for (Py_ssize_t i = 0; i < PyList_Size(blocks); i++) {
        bytes += ((Packed *)PyList_GetItem(blocks, i))->bytes;
    }
    return PyLong_FromSize_t(bytes);
}

static PyGetSetDef arranged_members[] = {
    {"nbytes", Arranged_nbytes, NULL, "The bytes of what is arranged of the attributes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot arranged_slots[] = {
    {Py_tp_doc, "The attributes of a planned step, as the C library reads them."},
    {Py_tp_getset, arranged_members},
    {Py_tp_dealloc, Arranged_dealloc},
    {0, NULL},
};

static PyType_Spec arranged_spec = {
    .name = "opmill._native.Arranged",
    .basicsize = sizeof(Arranged),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = arranged_slots,
};

/* Reads the attributes into memory of their own. */
static step read_arranged(Arranged *self, native_call *reading, const Kernel *kernel,
                          PyObject *given) {
    begin(reading, kernel->operator, kernel->attribute_names, true, 0);
    reading->arena = &self->arena;
    step read = read_attributes(reading, given);
    for (int32_t i = 0; i < reading->attribute_array_count && read == DONE; i++) {
        PyObject *array = reading->attribute_arrays[i];
        read = array == NULL || PyList_Append(self->owned, array) == 0 ? DONE : RAISED;
    }
    self->attributes = reading->attributes;
    reading->arena = &reading->own_arena;
    end(reading);
    return read;
}

/* The attributes of a step: those in its list, where an earlier segment has put them, else those of
 * a dict, which are put there. The reference belongs to the list. */
static step take_arranged(PyObject *list, native_call *reading, const Kernel *kernel,
                          PyObject *given, Arranged **taken) {
    if (PyList_Size(list) > 0) {
        PyObject *first = PyList_GetItem(list, 0);
        if ((PyObject *)Py_TYPE(first) != arranged_type) {
            (void)wrong_arguments("(steps, ...), each with an empty list");
            return RAISED;
        }
        *taken = (Arranged *)first;
        return DONE;
    }
    Arranged *made = PyObject_New(Arranged, (PyTypeObject *)arranged_type);
    if (made == NULL) {
        return RAISED;
    }
    arena_open(&made->arena);
    made->owned = PyList_New(0);
    made->blocks = PyList_New(0);
    made->attributes = NULL;
    step done = made->owned != NULL && made->blocks != NULL
                    ? read_arranged(made, reading, kernel, given)
                    : RAISED;
    if (done == DONE && PyList_Append(list, (PyObject *)made) < 0) {
        done = RAISED;
    }
    Py_DECREF((PyObject *)made);
    *taken = done == DONE ? made : NULL;
    return done;
}

/* A call that is planned, whose inputs lack data. */
typedef struct planned_call {
    const opmill_operator *operator;
    const opmill_tensor *const *inputs;
    int32_t input_count, output_count;
    opmill_context *context;
} planned_call;

/* Makes a block. NULL where the attributes are not legal, which the call reports when it is run, or
 * with an exception set. */
static Packed *new_block(const Arranged *self, const planned_call *call, size_t bytes) {
    opmill_context *const context = call->context;
    scratch memory = {NULL, 0};
    size_t needed = 0;
    int code = opmill_workspace(call->operator, call->inputs, call->input_count, self->attributes,
                                call->output_count, &needed, context);
    if (code != OPMILL_OK) {
        return NULL;
    }
    context->workspace = needed > 0 ? scratch_take(&memory, needed) : NULL;
    context->workspace_size = needed;
    Packed *made = needed == 0 || context->workspace != NULL
                       ? packed_new(Py_None, OPMILL_PREPARE_ATTRIBUTES, context)
                       : NULL;
    void *block = made != NULL ? packed_block(made, bytes) : NULL;
    if (block != NULL) {
        PyThreadState *released = PyEval_SaveThread();
        code = opmill_prepare(call->operator, call->inputs, call->input_count, self->attributes,
                              OPMILL_PREPARE_ATTRIBUTES, block, bytes, context);
        PyEval_RestoreThread(released);
    }
    scratch_give_back(&memory);
    context->workspace = NULL;
    context->workspace_size = 0;
    if (made != NULL && (block == NULL || code != OPMILL_OK)) {
        Py_CLEAR(made);
    }
    return made;
}

/* True if a block is for a call. `shapes` has an element for each output. */
static bool is_block_of(const Packed *block, const Arranged *self, const planned_call *call,
                        opmill_shape *shapes) {
    const opmill_prepared prepared = {OPMILL_PREPARE_ATTRIBUTES, block->block, block->bytes};
    opmill_context *const context = call->context;
    context->prepared = &prepared;
    context->prepared_count = 1;
    const int code = opmill_infer(call->operator, call->inputs, call->input_count, self->attributes,
                                  shapes, call->output_count, context);
    context->prepared = NULL;
    context->prepared_count = 0;
    return code == OPMILL_OK;
}

/* A new reference to the block of a call; NULL where it has none, with or without an exception. */
static Packed *block_of(const Arranged *self, const planned_call *call) {
    size_t bytes = 0;
    if (opmill_prepare_size(call->operator, call->inputs, call->input_count, self->attributes,
                            OPMILL_PREPARE_ATTRIBUTES, &bytes, call->context) != OPMILL_OK ||
        bytes == 0) {
        return NULL;
    }
    opmill_shape *shapes = PyMem_Malloc((size_t)call->output_count * sizeof *shapes + 1);
    if (shapes == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    Packed *found = NULL;
    for (Py_ssize_t i = 0; i < PyList_Size(self->blocks) && found == NULL; i++) {
        Packed *one = (Packed *)PyList_GetItem(self->blocks, i);
        if (one->isa == used_isa(call->context) && is_block_of(one, self, call, shapes)) {
            Py_INCREF((PyObject *)one);
            found = one;
        }
    }
    PyMem_Free(shapes);
    if (found == NULL) {
        found = new_block(self, call, bytes);
        if (found != NULL && PyList_Size(self->blocks) < MAX_BLOCKS &&
            PyList_Append(self->blocks, (PyObject *)found) < 0) {
            Py_CLEAR(found);
        }
    }
    return found;
}

#endif
