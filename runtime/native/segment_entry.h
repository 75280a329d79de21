/* Runs a segment that computes a whole graph: from the inputs as the caller of a run gives them to
 * its results, without a list of values. */
#ifndef OPMILL_NATIVE_SEGMENT_ENTRY_H
#define OPMILL_NATIVE_SEGMENT_ENTRY_H

#include "segment_run.h"

/* The index of the boundary with the number of a value; -1 where there is none. */
static int32_t find_boundary(const boundary *all, int32_t count, Py_ssize_t number) {
    for (int32_t i = 0; i < count; i++) {
        if (all[i].number == number) {
            return i;
        }
    }
    return -1;
}

/* Whether arrays are those of a run that the segment computes: all plain, its inputs among them. */
static bool are_inputs(const Segment *self, PyObject *numbers, PyObject *arrays) {
    int32_t read = 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(arrays); i++) {
        PyObject *array = PyTuple_GetItem(arrays, i);
        const Py_ssize_t number = PyLong_AsSsize_t(PyTuple_GetItem(numbers, i));
        const int32_t found = find_boundary(self->inputs, self->input_count, number);
        if (!is_plain(array) ||
            (found >= 0 && !is_array_of(array, &self->tensors[self->inputs[found].slot]))) {
            return false;
        }
        read += found >= 0;
    }
    return read == self->input_count;
}

/* Whether all results are outputs of the segment. */
static bool are_outputs(const Segment *self, PyObject *results) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(results); i++) {
        const Py_ssize_t number = PyLong_AsSsize_t(PyTuple_GetItem(results, i));
        if (find_boundary(self->outputs, self->output_count, number) < 0) {
            return false;
        }
    }
    return true;
}

/* A new entry, whose names are borrowed; NULL with MemoryError set. */
static entry *new_entry(Segment *self, PyObject *names, PyObject *numbers, PyObject *arrays,
                        PyObject *results) {
    const size_t count = (size_t)PyTuple_Size(names), outputs = (size_t)PyTuple_Size(results);
    entry *made = arena_take(&self->arena, 1, sizeof *made);
    opmill_tensor *given = arena_take(&self->arena, count, sizeof *given);
    int32_t *positions = arena_take(&self->arena, count, sizeof *positions);
    int32_t *found = arena_take(&self->arena, outputs, sizeof *found);
    if (made == NULL || given == NULL || positions == NULL || found == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        PyObject *array = PyTuple_GetItem(arrays, (Py_ssize_t)i);
        const Py_ssize_t number = PyLong_AsSsize_t(PyTuple_GetItem(numbers, (Py_ssize_t)i));
        positions[i] = find_boundary(self->inputs, self->input_count, number);
        if (!describe(self, (PyArrayObject *)array, &given[i])) {
            return NULL;
        }
    }
    for (size_t i = 0; i < outputs; i++) {
        const Py_ssize_t number = PyLong_AsSsize_t(PyTuple_GetItem(results, (Py_ssize_t)i));
        found[i] = find_boundary(self->outputs, self->output_count, number);
    }
    *made = (entry){names, given, positions, found, (int32_t)outputs};
    return made;
}

/* enter(names, numbers, arrays, results): lets `call` take such inputs from now on, if the segment
 * computes a run of them alone. */
static PyObject *Segment_enter(Segment *self, PyObject *args) {
    PyObject *names, *numbers, *arrays, *results;
    if (!PyArg_ParseTuple(args, "O!O!O!O!", &PyTuple_Type, &names, &PyTuple_Type, &numbers,
                          &PyTuple_Type, &arrays, &PyTuple_Type, &results)) {
        return NULL;
    }
    const Py_ssize_t count = PyTuple_Size(names);
    if (PyTuple_Size(numbers) != count || PyTuple_Size(arrays) != count) {
        return wrong_arguments("(names, numbers, arrays, results), the first three of one length");
    }
    if (self->entry == NULL && are_inputs(self, numbers, arrays) && are_outputs(self, results)) {
        self->entry = new_entry(self, names, numbers, arrays, results);
        if (self->entry == NULL) {
            return NULL;
        }
        Py_INCREF(names);
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* The value of an input: borrowed; NULL where it is not there, or with an exception set. */
static PyObject *given_at(PyObject *inputs, const entry *from, Py_ssize_t index) {
    if (PyDict_CheckExact(inputs)) {
        return PyDict_GetItemWithError(inputs, PyTuple_GetItem(from->names, index));
    }
    return PyList_CheckExact(inputs) ? PyList_GetItem(inputs, index)
                                     : PyTuple_GetItem(inputs, index);
}

/* The number of values in a dict, a list or a tuple; -1 for anything else. */
static Py_ssize_t count_given(PyObject *inputs) {
    if (PyDict_CheckExact(inputs)) {
        return PyDict_Size(inputs);
    }
    return PyList_CheckExact(inputs)    ? PyList_Size(inputs)
           : PyTuple_CheckExact(inputs) ? PyTuple_Size(inputs)
                                        : -1;
}

/* Takes the inputs of a run if they are as those of the entry. */
static step take_given(const Segment *self, PyObject *inputs, ends *run) {
    const entry *from = self->entry;
    const Py_ssize_t count = PyTuple_Size(from->names);
    if (count_given(inputs) != count) {
        return FALLBACK;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *value = given_at(inputs, from, i);
        if (!is_array_of(value, &from->given[i])) {
            return PyErr_Occurred() ? RAISED : FALLBACK;
        }
        if (from->positions[i] >= 0) {
            hold_end(run, from->positions[i], value);
        }
    }
    return DONE;
}

static PyObject *results_of(const Segment *self, const ends *run) {
    const entry *from = self->entry;
    PyObject *results = PyTuple_New(from->result_count);
    for (int32_t i = 0; results != NULL && i < from->result_count; i++) {
        PyObject *array = run->arrays[self->input_count + from->results[i]];
        Py_INCREF(array);
        PyTuple_SetItem(results, i, array);
    }
    return results;
}

/* The results for inputs such as those of `enter`; None for others, and where a node refuses. */
static PyObject *Segment_call(Segment *self, PyObject *inputs) {
    ends run;
    opmill_context context = OPMILL_CONTEXT_INIT;
    PyObject *results = NULL;
    step done = self->entry != NULL ? read_choice(&context) : FALLBACK;
    if (done == DONE && !is_for(self, &context)) {
        done = FALLBACK;
    }
    if (done == DONE && !ends_open(&run, self)) {
        done = RAISED;
    } else if (done == DONE) {
        done = take_given(self, inputs, &run);
        if (done == DONE) {
            done = run_fitting(self, &run, &context);
        }
        if (done == DONE) {
            results = results_of(self, &run);
            done = results != NULL ? DONE : RAISED;
        }
        ends_close(&run);
    }
    if (without_memory_error(done) == FALLBACK) {
        Py_RETURN_NONE;
    }
    return results;
}

#endif
