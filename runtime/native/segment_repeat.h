/* Repeats a segment, for loops: results of an iteration are inputs of the next one. */
#ifndef OPMILL_NATIVE_SEGMENT_REPEAT_H
#define OPMILL_NATIVE_SEGMENT_REPEAT_H

#include "segment_entry.h"

/* A value that is handed on. Iterations write to its two arrays in turn. */
typedef struct handed {
    Py_ssize_t number; /* of the input */
    int32_t input;     /* -1 for one that no node reads */
    int32_t output;
    PyObject *arrays[2];
} handed;

/* An array with an element for each iteration, along its first axis. */
typedef struct rows {
    int32_t index;  /* of the input or output */
    bool is_copied; /* of an output: after the iteration, since it is handed on too */
    char *data;
    size_t bytes; /* of an element */
} rows;

/* A repetition in progress. */
typedef struct repetition {
    Segment *segment;
    PyObject *values;
    handed *states;
    rows *elements, *stacks;
    PyObject **spare; /* by output, the array that it is written to where nothing else is set */
    void **data;      /* of the inputs, then of the outputs */
    int32_t state_count, element_count, stack_count;
    int32_t counter;   /* the input that has the number of the iteration, or -1 */
    int32_t condition; /* the output that says whether to go on, or -1 */
    int64_t iteration;
    Py_ssize_t done, stop;
    bool goes_on;
    arena arena;
    opmill_context context;
} repetition;

static int32_t find_input(const Segment *self, Py_ssize_t number) {
    return find_boundary(self->inputs, self->input_count, number);
}

static int32_t find_output(const Segment *self, Py_ssize_t number) {
    return find_boundary(self->outputs, self->output_count, number);
}

static bool is_like(const opmill_tensor *a, const opmill_tensor *b) {
    if (a->type != b->type || a->rank != b->rank) {
        return false;
    }
    for (int32_t i = 0; i < a->rank; i++) {
        if (a->dims[i] != b->dims[i]) {
            return false;
        }
    }
    return true;
}

/* Reads (input, output) for each value that is handed on. */
static step read_states(repetition *loop, PyObject *pairs) {
    const Segment *self = loop->segment;
    const Py_ssize_t count = PyTuple_Size(pairs);
    loop->states = arena_take(&loop->arena, (size_t)count, sizeof *loop->states);
    if (loop->states == NULL) {
        return RAISED;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_ssize_t input, output;
        if (!PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "nn", &input, &output)) {
            return RAISED;
        }
        const handed one = {
            input, find_input(self, input), find_output(self, output), {NULL, NULL}};
        if (one.output < 0 || input <= 0 || input >= PyList_Size(loop->values)) {
            return FALLBACK;
        }
        const opmill_tensor *written = &self->tensors[self->outputs[one.output].slot];
        if (one.input >= 0 && !is_like(&self->tensors[self->inputs[one.input].slot], written)) {
            return FALLBACK;
        }
        for (int32_t k = 0; k < loop->state_count; k++) {
            if (loop->states[k].output == one.output) {
                return FALLBACK;
            }
        }
        handed *added = &loop->states[loop->state_count++];
        *added = one;
        for (int k = 0; k < 2; k++) {
            added->arrays[k] = new_output(written);
            if (added->arrays[k] == NULL) {
                return RAISED;
            }
        }
    }
    return DONE;
}

/* Reads (number, array) for each input or output that has an element for each iteration. */
static step read_rows(repetition *loop, PyObject *pairs, bool are_inputs) {
    const Segment *self = loop->segment;
    const Py_ssize_t count = PyTuple_Size(pairs);
    rows *found = arena_take(&loop->arena, (size_t)count, sizeof *found);
    int32_t found_count = 0;
    if (found == NULL) {
        return RAISED;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_ssize_t number;
        PyObject *given;
        if (!PyArg_ParseTuple(PyTuple_GetItem(pairs, i), "nO", &number, &given)) {
            return RAISED;
        }
        const int32_t index = are_inputs ? find_input(self, number) : find_output(self, number);
        if (index < 0) {
            if (are_inputs) { /* which no node reads */
                continue;
            }
            return FALLBACK;
        }
        const int32_t at = are_inputs ? self->inputs[index].slot : self->outputs[index].slot;
        const opmill_tensor *one = &self->tensors[at];
        PyArrayObject *array = (PyArrayObject *)given;
        if (!PyArray_CheckExact(given) ||
            !(are_inputs ? PyArray_ISCARRAY_RO(array) : PyArray_ISCARRAY(array)) ||
            code_of(array) != one->type || PyArray_NDIM(array) != one->rank + 1 ||
            PyArray_DIM(array, 0) < loop->stop) {
            return FALLBACK;
        }
        for (int32_t k = 0; k < one->rank; k++) {
            if (PyArray_DIM(array, k + 1) != one->dims[k]) {
                return FALLBACK;
            }
        }
        bool is_copied = false;
        for (int32_t k = 0; k < loop->state_count && !are_inputs; k++) {
            is_copied = is_copied || loop->states[k].output == index;
        }
        for (int32_t k = 0; k < found_count && !are_inputs; k++) {
            is_copied = is_copied || found[k].index == index;
        }
        found[found_count++] = (rows){index, is_copied, PyArray_DATA(array), self->slots[at].bytes};
    }
    *(are_inputs ? &loop->elements : &loop->stacks) = found;
    *(are_inputs ? &loop->element_count : &loop->stack_count) = found_count;
    return DONE;
}

/* The inputs before the first iteration, and arrays for the outputs that have none. */
static step read_ends(repetition *loop) {
    const Segment *self = loop->segment;
    loop->data = arena_take(&loop->arena, (size_t)(self->input_count + self->output_count),
                            sizeof *loop->data);
    loop->spare = arena_take(&loop->arena, (size_t)self->output_count, sizeof *loop->spare);
    if (loop->data == NULL || loop->spare == NULL) {
        loop->spare = NULL;
        return RAISED;
    }
    memset(loop->spare, 0, (size_t)self->output_count * sizeof *loop->spare);
    for (int32_t i = 0; i < self->input_count; i++) {
        PyObject *value = PyList_GetItem(loop->values, self->inputs[i].number);
        loop->data[i] = PyArray_DATA((PyArrayObject *)value);
    }
    if (loop->counter >= 0) {
        const opmill_tensor *counter = &self->tensors[self->inputs[loop->counter].slot];
        if (counter->type != OPMILL_INT64) {
            return FALLBACK;
        }
        loop->data[loop->counter] = &loop->iteration;
    }
    if (loop->condition >= 0) {
        const int32_t at = self->outputs[loop->condition].slot;
        if (self->tensors[at].type != OPMILL_BOOL || self->slots[at].bytes != 1) {
            return FALLBACK;
        }
    }
    for (int32_t i = 0; i < self->output_count; i++) {
        loop->spare[i] = new_output(&self->tensors[self->outputs[i].slot]);
        if (loop->spare[i] == NULL) {
            return RAISED;
        }
        loop->data[self->input_count + i] = PyArray_DATA((PyArrayObject *)loop->spare[i]);
    }
    return DONE;
}

/* One iteration after the other. FALLBACK where a node refuses: `done` iterations are complete
 * then. */
static step iterate(repetition *loop, frame *part, char *memory) {
    Segment *self = loop->segment;
    void **outputs = loop->data + self->input_count;
    for (int turn = 0; loop->done < loop->stop && loop->goes_on; turn = 1 - turn) {
        loop->iteration = loop->done;
        for (int32_t i = 0; i < loop->state_count; i++) {
            outputs[loop->states[i].output] =
                PyArray_DATA((PyArrayObject *)loop->states[i].arrays[turn]);
        }
        for (int32_t i = 0; i < loop->element_count; i++) {
            const rows *one = &loop->elements[i];
            loop->data[one->index] = one->data + one->bytes * (size_t)loop->done;
        }
        for (int32_t i = 0; i < loop->stack_count; i++) {
            const rows *one = &loop->stacks[i];
            if (!one->is_copied) {
                outputs[one->index] = one->data + one->bytes * (size_t)loop->done;
            }
        }
        point(self, part, memory, loop->data, outputs);
        const step done = call_nodes(self, part, &loop->context);
        if (done != DONE) {
            return done;
        }
        for (int32_t i = 0; i < loop->stack_count; i++) {
            const rows *one = &loop->stacks[i];
            if (one->is_copied) {
                memcpy(one->data + one->bytes * (size_t)loop->done, outputs[one->index],
                       one->bytes);
            }
        }
        for (int32_t i = 0; i < loop->state_count; i++) {
            handed *one = &loop->states[i];
            if (one->input >= 0) {
                loop->data[one->input] = outputs[one->output];
            }
            Py_INCREF(one->arrays[turn]);
            PyList_SetItem(loop->values, one->number, one->arrays[turn]);
        }
        loop->done++;
        if (loop->condition >= 0) {
            loop->goes_on = *(const unsigned char *)outputs[loop->condition] != 0;
        }
    }
    return DONE;
}

static step repeat(repetition *loop) {
    Segment *self = loop->segment;
    scratch memory = {NULL, 0};
    char *workspace = scratch_take(&memory, self->workspace + self->value_bytes + 1);
    frame *part = workspace != NULL ? take_frame(self) : NULL;
    step done = RAISED;
    if (part != NULL) {
        loop->context.workspace = workspace;
        loop->context.workspace_size = self->workspace;
        done = iterate(loop, part, workspace + self->workspace);
        give_frame_back(self, part);
    }
    scratch_give_back(&memory);
    return done;
}

static void release_arrays(repetition *loop) {
    for (int32_t i = 0; i < loop->state_count; i++) {
        Py_XDECREF(loop->states[i].arrays[0]);
        Py_XDECREF(loop->states[i].arrays[1]);
    }
    for (int32_t i = 0; i < loop->segment->output_count && loop->spare != NULL; i++) {
        Py_XDECREF(loop->spare[i]);
    }
    arena_close(&loop->arena);
}

/* repeat(values, start, stop, counter, condition, states, elements, stacks) */
static PyObject *Segment_repeat(Segment *self, PyObject *args) {
    PyObject *values, *states, *elements, *stacks;
    Py_ssize_t start, stop, counter, condition;
    if (!PyArg_ParseTuple(args, "O!nnnnO!O!O!", &PyList_Type, &values, &start, &stop, &counter,
                          &condition, &PyTuple_Type, &states, &PyTuple_Type, &elements,
                          &PyTuple_Type, &stacks)) {
        return NULL;
    }
    repetition loop = {.segment = self, .values = values, .done = start, .stop = stop};
    loop.goes_on = true;
    loop.counter = find_input(self, counter);
    loop.condition = find_output(self, condition);
    loop.context = (opmill_context)OPMILL_CONTEXT_INIT;
    arena_open(&loop.arena);
    step done = start >= 0 && (condition == 0 || loop.condition >= 0) ? DONE : FALLBACK;
    if (done == DONE) {
        done = read_choice(&loop.context);
    }
    if (done == DONE && !fits(self, values, &loop.context)) {
        PyErr_Clear();
        done = FALLBACK;
    }
    if (done == DONE) {
        done = read_states(&loop, states);
    }
    if (done == DONE) {
        done = read_rows(&loop, elements, true);
    }
    if (done == DONE) {
        done = read_rows(&loop, stacks, false);
    }
    if (done == DONE) {
        done = read_ends(&loop);
    }
    if (done == DONE) {
        done = repeat(&loop);
    }
    release_arrays(&loop);
    if (done == RAISED && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear(); /* one by one, iterations need less memory, or say which node needs it */
        done = FALLBACK;
    }
    return done == RAISED ? NULL
                          : Py_BuildValue("(nO)", loop.done, loop.goes_on ? Py_True : Py_False);
}

static PyMethodDef segment_methods[] = {
    {"run", (PyCFunction)Segment_run, METH_O, NULL},
    {"enter", (PyCFunction)Segment_enter, METH_VARARGS, NULL},
    {"call", (PyCFunction)Segment_call, METH_O, NULL},
    {"repeat", (PyCFunction)Segment_repeat, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot segment_slots[] = {
    {Py_tp_doc, "Consecutive nodes of a graph that one call computes."},
    {Py_tp_methods, segment_methods},
    {Py_tp_dealloc, Segment_dealloc},
    {0, NULL},
};

static PyType_Spec segment_spec = {
    .name = "opmill._native.Segment",
    .basicsize = sizeof(Segment),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = segment_slots,
};

#endif
