/* Runs a segment. */
#ifndef OPMILL_NATIVE_SEGMENT_RUN_H
#define OPMILL_NATIVE_SEGMENT_RUN_H

#include "segment.h"

static frame *frame_new(const Segment *segment) {
    frame *part = PyMem_Calloc(1, sizeof *part);
    if (part == NULL) {
        return (PyErr_NoMemory(), NULL);
    }
    const size_t slots = (size_t)segment->slot_count, pointers = (size_t)segment->pointer_count;
    part->tensors = PyMem_Malloc(slots * sizeof *part->tensors + 1);
    part->inputs = PyMem_Malloc(pointers * sizeof *part->inputs + 1);
    part->outputs = PyMem_Malloc(pointers * sizeof *part->outputs + 1);
    if (part->tensors == NULL || part->inputs == NULL || part->outputs == NULL) {
        frame_free(part);
        return (PyErr_NoMemory(), NULL);
    }
    if (slots > 0) {
        memcpy(part->tensors, segment->tensors, slots * sizeof *part->tensors);
    }
    const opmill_tensor **input = part->inputs;
    opmill_tensor **output = part->outputs;
    for (int32_t k = 0; k < segment->node_count; k++) {
        const node *one = &segment->nodes[k];
        for (int32_t i = 0; i < one->input_count; i++) {
            *input++ = one->inputs[i] >= 0 ? &part->tensors[one->inputs[i]] : NULL;
        }
        for (int32_t i = 0; i < one->output_count; i++) {
            *output++ = &part->tensors[one->outputs[i]];
        }
    }
    return part;
}

/* The frame of an earlier run, or a new one; NULL with MemoryError set. */
static frame *take_frame(Segment *self) {
    frame *taken = self->idle;
    self->idle = NULL;
    return taken != NULL ? taken : frame_new(self);
}

static void give_frame_back(Segment *self, frame *taken) {
    if (self->idle == NULL) {
        self->idle = taken;
    } else {
        frame_free(taken);
    }
}

static bool is_for(const Segment *self, const opmill_context *context) {
    return used_isa(context) == self->isa && thread_count == self->threads;
}

/* Whether a value is a plain array of a type and shape. */
static bool is_array_of(PyObject *value, const opmill_tensor *wanted) {
    if (value == NULL || !PyArray_CheckExact(value)) {
        return false;
    }
    PyArrayObject *array = (PyArrayObject *)value;
    if (PyArray_NDIM(array) != wanted->rank || code_of(array) != wanted->type ||
        !PyArray_ISCARRAY_RO(array)) {
        return false;
    }
    for (int32_t k = 0; k < wanted->rank; k++) {
        if (PyArray_DIM(array, k) != wanted->dims[k]) {
            return false;
        }
    }
    return true;
}

/* Whether the values are those that the segment is planned for. */
static bool fits(const Segment *self, PyObject *values, const opmill_context *context) {
    if (!is_for(self, context)) {
        return false;
    }
    for (int32_t i = 0; i < self->input_count; i++) {
        PyObject *value = PyList_GetItem(values, self->inputs[i].number);
        if (!is_array_of(value, &self->tensors[self->inputs[i].slot])) {
            return false;
        }
    }
    for (int32_t i = 0; i < self->constant_count; i++) {
        if (PyList_GetItem(values, self->constants[i].number) != self->constants[i].constant) {
            return false;
        }
    }
    return true;
}

static PyObject *new_output(const opmill_tensor *tensor) {
    PyArray_Descr *dtype = dtype_of[tensor->type];
    npy_intp dims[OPMILL_MAX_RANK];
    for (int32_t i = 0; i < tensor->rank; i++) {
        dims[i] = (npy_intp)tensor->dims[i];
    }
    Py_INCREF((PyObject *)dtype);
    return PyArray_NewFromDescr(&PyArray_Type, dtype, tensor->rank, dims, NULL, NULL, 0, NULL);
}

/* Points the tensors of a frame to the memory of a run. */
static void point(const Segment *self, frame *part, char *memory, void *const *inputs,
                  void *const *outputs) {
    const bool moved = part->memory != memory;
    part->memory = memory;
    for (int32_t i = 0; i < self->slot_count; i++) {
        const slot *one = &self->slots[i];
        if (one->where == IN_SCRATCH) {
            if (moved) {
                part->tensors[i].data = memory + one->offset;
            }
        } else if (one->where != IN_CONSTANT) {
            part->tensors[i].data =
                one->where == IN_INPUT ? inputs[one->index] : outputs[one->index];
        }
    }
}

/* Calls node after node. FALLBACK where one refuses, RAISED where a signal handler raised. */
static step call_nodes(const Segment *self, const frame *part, opmill_context *context) {
    const opmill_tensor *const *inputs = part->inputs;
    opmill_tensor *const *outputs = part->outputs;
    for (int32_t k = 0; k < self->node_count; k++) {
        const node *one = &self->nodes[k];
        PyThreadState *released = one->is_small ? NULL : PyEval_SaveThread();
        context->threads = one->is_small ? 1 : self->threads;
        context->prepared = one->prepared;
        context->prepared_count = one->prepared_count;
        context->limits = one->is_limited ? &one->limits : NULL;
        const int code = opmill_run(one->operator, inputs, one->input_count, one->attributes,
                                    outputs, one->output_count, context);
        if (released != NULL) {
            PyEval_RestoreThread(released);
        }
        if (code != OPMILL_OK) {
            return FALLBACK;
        }
        if (released != NULL && PyErr_CheckSignals() < 0) {
            return RAISED;
        }
        inputs += one->input_count;
        outputs += one->output_count;
    }
    return DONE;
}

/* The arrays of one run, and their data: the inputs, then the outputs. */
typedef struct ends {
    PyObject **arrays; /* references of the run; NULL for none */
    void **data;
    int32_t count;
    PyObject *own_arrays[32];
    void *own_data[32];
} ends;

/* False with MemoryError set where there is no memory. */
static bool ends_open(ends *run, const Segment *self) {
    run->count = self->input_count + self->output_count;
    run->arrays = run->own_arrays;
    run->data = run->own_data;
    if ((size_t)run->count > sizeof run->own_arrays / sizeof *run->own_arrays) {
        run->arrays = PyMem_Malloc((size_t)run->count * sizeof *run->arrays);
        run->data = PyMem_Malloc((size_t)run->count * sizeof *run->data);
    }
    if (run->arrays == NULL || run->data == NULL) {
        PyMem_Free(run->arrays);
        PyMem_Free(run->data);
        PyErr_NoMemory();
        return false;
    }
    memset(run->arrays, 0, (size_t)run->count * sizeof *run->arrays);
    return true;
}

static void ends_close(ends *run) {
    for (int32_t i = 0; i < run->count; i++) {
        Py_XDECREF(run->arrays[i]);
    }
    if (run->arrays != run->own_arrays) {
        PyMem_Free(run->arrays);
        PyMem_Free(run->data);
    }
}

static void hold_end(ends *run, int32_t index, PyObject *array) {
    Py_INCREF(array);
    run->arrays[index] = array;
    run->data[index] = PyArray_DATA((PyArrayObject *)array);
}

/* The run of a segment whose inputs fit: sets the outputs. */
static step run_fitting(Segment *self, ends *run, opmill_context *context) {
    scratch memory = {NULL, 0};
    for (int32_t i = 0; i < self->output_count; i++) {
        PyObject *array = new_output(&self->tensors[self->outputs[i].slot]);
        if (array == NULL) {
            return RAISED;
        }
        hold_end(run, self->input_count + i, array);
        Py_DECREF(array);
    }
    char *workspace = scratch_take(&memory, self->workspace + self->value_bytes + 1);
    frame *part = workspace != NULL ? take_frame(self) : NULL;
    step done = RAISED;
    if (part != NULL) {
        context->workspace = workspace;
        context->workspace_size = self->workspace;
        point(self, part, workspace + self->workspace, run->data, run->data + self->input_count);
        done = call_nodes(self, part, context);
        give_frame_back(self, part);
    }
    scratch_give_back(&memory);
    return done;
}

/* FALLBACK in place of MemoryError: one by one, the nodes need less memory, or report which of them
 * needs it. */
static step without_memory_error(step done) {
    if (done == RAISED && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        return FALLBACK;
    }
    return done;
}

/* True where the values are computed; False where the segment does not fit them; None where a node
 * refuses. */
static PyObject *Segment_run(Segment *self, PyObject *values) {
    if (!PyList_CheckExact(values)) {
        return wrong_arguments("(values)");
    }
    ends run;
    opmill_context context = OPMILL_CONTEXT_INIT;
    step done = read_choice(&context);
    if (done == DONE && !fits(self, values, &context)) {
        PyErr_Clear();
        Py_RETURN_FALSE;
    }
    if (done == DONE && !ends_open(&run, self)) {
        done = RAISED;
    } else if (done == DONE) {
        for (int32_t i = 0; i < self->input_count; i++) {
            hold_end(&run, i, PyList_GetItem(values, self->inputs[i].number));
        }
        done = run_fitting(self, &run, &context);
        for (int32_t i = 0; i < self->output_count && done == DONE; i++) {
            PyObject **array = &run.arrays[self->input_count + i];
            PyList_SetItem(values, self->outputs[i].number, *array); /* takes it */
            *array = NULL;
        }
        ends_close(&run);
    }
    for (int32_t i = 0; i < self->released_count && done == DONE; i++) {
        Py_INCREF(Py_None);
        PyList_SetItem(values, self->released[i], Py_None);
    }
    done = without_memory_error(done);
    if (done == DONE) {
        Py_RETURN_TRUE;
    }
    if (done == RAISED) {
        return NULL;
    }
    Py_RETURN_NONE;
}

#endif
