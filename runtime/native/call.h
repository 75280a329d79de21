/* A call from begin() to end(): the inputs are read; the C library checks them, asks for the
 * outputs, which are made or taken from the caller, and computes. */
#ifndef OPMILL_NATIVE_CALL_H
#define OPMILL_NATIVE_CALL_H

#include "read.h"

/* A call that moves less than this uses one thread, and keeps the GIL unless the kernel asks for
 * scratch memory: both cost more than they give. */
enum { SMALL_BYTES = 16 * 1024 };

enum { ERROR_CODES = OPMILL_ERROR_INTERNAL + 1 };

static PyObject *error_classes[ERROR_CODES]; /* what to raise, by enum opmill_code */
static int32_t thread_count = 1;

/* Outputs */

static bool overlaps(PyArrayObject *a, PyObject *held) {
    if (held == NULL) {
        return false;
    }
    PyArrayObject *other = (PyArrayObject *)held;
    const uintptr_t first = (uintptr_t)PyArray_DATA(a), second = (uintptr_t)PyArray_DATA(other);
    const size_t length = (size_t)PyArray_NBYTES(a), bytes = (size_t)PyArray_NBYTES(other);
    return length > 0 && bytes > 0 && first < second + bytes && second < first + length;
}

/* Whether a kernel may write to a buffer itself. */
static bool takes_result(const call *made, PyObject *given, const opmill_shape *shape,
                         int32_t index) {
    PyArrayObject *array = (PyArrayObject *)given;
    if (!(made->exact ? PyArray_CheckExact(given) : PyArray_Check(given)) ||
        !PyArray_ISCARRAY(array) || code_of(array) != shape->type ||
        PyArray_NDIM(array) != shape->rank) {
        return false;
    }
    for (int i = 0; i < shape->rank; i++) {
        if (PyArray_DIM(array, i) != shape->dims[i]) {
            return false;
        }
    }
    for (int32_t i = 0; i < made->input_count + index; i++) {
        if (overlaps(array, made->held[i])) {
            return false;
        }
    }
    for (int32_t i = 0; i < made->attribute_array_count; i++) {
        if (overlaps(array, made->attribute_arrays[i])) {
            return false;
        }
    }
    return true;
}

/* The buffer `given`, or a new array where that is NULL. */
static step hold_output(call *made, int32_t index, PyObject *given) {
    const opmill_shape *shape = &made->shapes[index];
    npy_intp dims[OPMILL_MAX_RANK];
    if (given != NULL) {
        if (!takes_result(made, given, shape, index)) {
            return ODD;
        }
        Py_INCREF(given);
    } else {
        PyArray_Descr *dtype = dtype_of[shape->type];
        if (dtype == NULL) {
            return ODD;
        }
        for (int i = 0; i < shape->rank; i++) {
            dims[i] = (npy_intp)shape->dims[i];
        }
        Py_INCREF((PyObject *)dtype);
        given = PyArray_NewFromDescr(&PyArray_Type, dtype, shape->rank, dims, NULL, NULL, 0, NULL);
        if (given == NULL) {
            return RAISED;
        }
    }
    PyArrayObject *array = (PyArrayObject *)given;
    made->held[made->input_count + index] = given;
    made->bytes += (size_t)PyArray_NBYTES(array);
    made->outputs[index] =
        new_tensor(made, shape->type, shape->rank, PyArray_DIMS(array), PyArray_DATA(array));
    return made->outputs[index] != NULL ? DONE : RAISED;
}

/* `out` is None, an array for the one output, or a list or tuple with an array for each. */
static step hold_outputs(call *made) {
    const int32_t count = made->output_count;
    PyObject *out = made->out;
    PyObject *items = made->given_outputs; /* NULL for None and for a single array */
    if (items != NULL ? PyTuple_Size(items) != count : out != Py_None && count != 1) {
        return ODD;
    }
    step held = DONE;
    for (int32_t i = 0; i < count && held == DONE; i++) {
        PyObject *given = items != NULL ? PyTuple_GetItem(items, i) : out != Py_None ? out : NULL;
        held = hold_output(made, i, given);
    }
    return held;
}

/* The call */

static step raise_error(const call *made, int code) {
    const char *label = made->kernel->label;
    const char *reason = made->context.error.message + strlen(label) + strlen(": ");
    PyObject *error = PyObject_CallFunction(error_classes[code], "ss", label, reason);
    if (error != NULL) {
        PyErr_SetObject(error_classes[code], error);
        Py_DECREF(error);
    }
    return RAISED;
}

static step make_shapes(call *made) {
    made->shapes = room_take(made->room, (size_t)made->output_count, sizeof *made->shapes);
    return made->shapes != NULL ? DONE : RAISED;
}

static bool is_small(const call *made) { return made->bytes < SMALL_BYTES; }

/* Whether only the data determine the shape of some output. */
static bool is_bounded(const opmill_operator *kernel) {
    for (int32_t i = 0; i < kernel->output_count; i++) {
        if (kernel->outputs[i].bounded != 0) {
            return true;
        }
    }
    return false;
}

static bool is_measured(const call *made) { return is_bounded(made->kernel); }

static void hold_gil(call *made) {
    if (made->released != NULL) {
        PyEval_RestoreThread(made->released);
        made->released = NULL;
    }
}

/* The functions of opmill_allocator. */

static int allocate_outputs(void *user, const opmill_shape *shapes, opmill_tensor **outputs,
                            int32_t output_count) {
    call *made = user;
    const bool released = made->released != NULL; /* for the measurement */
    (void)shapes;                                 /* these are the call's own */
    (void)outputs;
    (void)output_count;
    hold_gil(made);
    made->stopped = hold_outputs(made);
    if (released) {
        made->released = PyEval_SaveThread();
    } else if (!is_measured(made)) {
        made->context.threads = is_small(made) ? 1 : thread_count;
    }
    return made->stopped == DONE ? OPMILL_OK : OPMILL_ERROR_CALL;
}

static int allocate_workspace(void *user, size_t bytes, opmill_context *context) {
    call *made = user;
    if (bytes > 0) {
        context->workspace = scratch_take(&made->workspace, bytes);
        context->workspace_size = bytes;
        if (context->workspace == NULL) {
            made->stopped = RAISED;
            return OPMILL_ERROR_CALL;
        }
    }
    if (bytes > 0 || !is_small(made)) {
        made->released = PyEval_SaveThread();
    }
    return OPMILL_OK;
}

static step compute(call *made) {
    const opmill_allocator allocator = {made, allocate_outputs, allocate_workspace};
    step done = make_shapes(made);
    made->outputs = done == DONE
                        ? room_take(made->room, (size_t)made->output_count, sizeof *made->outputs)
                        : NULL;
    if (made->outputs == NULL) {
        return RAISED;
    }
    made->context.threads = is_small(made) ? 1 : thread_count;
    const int code = opmill_run_allocating(made->kernel, made->inputs, made->input_count,
                                           made->attributes, made->shapes, made->outputs,
                                           made->output_count, &allocator, &made->context);
    hold_gil(made);
    scratch_give_back(&made->workspace);
    if (made->stopped != DONE) {
        return made->stopped;
    }
    return code == OPMILL_OK ? DONE : raise_error(made, code);
}

/* All of a call. The outputs are held then, and last until end(). */
static step perform(call *made, PyObject *inputs, PyObject *attributes, PyObject *out) {
    made->out = out;
    step done = take_arguments(made, inputs, attributes, out);
    if (done == DONE) {
        done = read_inputs(made);
    }
    return done == DONE ? compute(made) : done;
}

/* The types and shapes of the outputs, the actual ones where they depend on data. */
static step measure(call *made) {
    step done = make_shapes(made);
    if (done != DONE) {
        return done;
    }
    made->context.threads = is_small(made) ? 1 : thread_count;
    if (!is_measured(made)) {
        const int code =
            opmill_infer(made->kernel, made->inputs, made->input_count, made->attributes,
                         made->shapes, made->output_count, &made->context);
        return code == OPMILL_OK ? DONE : raise_error(made, code);
    }
    size_t needed = 0;
    int code = opmill_workspace(made->kernel, made->inputs, made->input_count, made->attributes,
                                made->output_count, &needed, &made->context);
    if (code == OPMILL_OK) {
        if (allocate_workspace(made, needed, &made->context) != OPMILL_OK) {
            return made->stopped;
        }
        code = opmill_measure(made->kernel, made->inputs, made->input_count, made->attributes,
                              made->shapes, made->output_count, &made->context);
        hold_gil(made);
        scratch_give_back(&made->workspace);
    }
    return code == OPMILL_OK ? DONE : raise_error(made, code);
}

/* How a call would be computed: all of it but the outputs' memory and the computation. */
static step explain(call *made, PyObject *inputs, PyObject *attributes, opmill_choice *choice) {
    step done = take_arguments(made, inputs, attributes, NULL);
    if (done == DONE) {
        done = read_inputs(made);
    }
    if (done == DONE) {
        done = measure(made);
    }
    for (int32_t i = 0; i < made->output_count && done == DONE; i++) {
        PyArray_Descr *dtype = dtype_of[made->shapes[i].type];
        size_t bytes = dtype != NULL ? (size_t)PyDataType_ELSIZE(dtype) : 0;
        for (int32_t k = 0; k < made->shapes[i].rank; k++) {
            bytes *= (size_t)made->shapes[i].dims[k];
        }
        made->bytes += bytes;
        done = dtype != NULL ? DONE : ODD;
    }
    if (done != DONE) {
        return done;
    }
    made->context.threads = is_small(made) ? 1 : thread_count;
    const int code = opmill_choose(made->kernel, made->inputs, made->input_count, made->attributes,
                                   made->output_count, choice, &made->context);
    if (code == OPMILL_OK && choice->variant == NULL) {
        choice->threads = made->context.threads;
    }
    return code == OPMILL_OK ? DONE : raise_error(made, code);
}

/* The bytes of scratch memory that a call needs with one thread. */
static step find_workspace(call *made, PyObject *inputs, PyObject *attributes, size_t *bytes) {
    step done = take_arguments(made, inputs, attributes, NULL);
    if (done == DONE) {
        done = read_inputs(made);
    }
    if (done != DONE) {
        return done;
    }
    made->context.threads = 1;
    const int code = opmill_workspace(made->kernel, made->inputs, made->input_count,
                                      made->attributes, made->output_count, bytes, &made->context);
    return code == OPMILL_OK ? DONE : raise_error(made, code);
}

/* Packs an input, and sets `packed`, NULL where nothing is gained by that. */
static step prepare(call *made, PyObject *inputs, PyObject *attributes, int32_t position,
                    Packed **packed) {
    size_t bytes = 0;
    made->is_partial = true;
    step done = take_arguments(made, inputs, attributes, NULL);
    if (done == DONE) {
        done = read_inputs(made);
    }
    if (done != DONE || position >= made->input_count || made->held[position] == NULL) {
        return done;
    }
    int code = opmill_prepare_size(made->kernel, made->inputs, made->input_count, made->attributes,
                                   position, &bytes, &made->context);
    if (code != OPMILL_OK || bytes == 0) {
        return code == OPMILL_OK ? DONE : raise_error(made, code);
    }
    *packed = packed_new(made->held[position], position, &made->context);
    void *block = *packed != NULL ? packed_room(*packed, bytes) : NULL;
    if (block == NULL) {
        return RAISED;
    }
    made->released = PyEval_SaveThread();
    code = opmill_prepare(made->kernel, made->inputs, made->input_count, made->attributes, position,
                          block, bytes, &made->context);
    hold_gil(made);
    return code == OPMILL_OK ? DONE : raise_error(made, code);
}

static void begin(call *made, const opmill_operator *kernel, PyObject *attribute_names, bool exact,
                  int32_t output_count) {
    made->kernel = kernel;
    made->attribute_names = attribute_names;
    made->exact = exact;
    made->is_partial = false;
    made->prepared = NULL;
    made->input_count = 0;
    made->output_count = output_count;
    made->held = NULL;
    made->attribute_arrays = NULL;
    made->attribute_array_count = 0;
    made->given_inputs = NULL;
    made->given_outputs = NULL;
    made->bytes = 0;
    made->stopped = DONE;
    made->workspace = (scratch){NULL, 0};
    made->released = NULL;
    made->room = &made->own_room;
    room_open(made->room);
    made->context = (opmill_context)OPMILL_CONTEXT_INIT;
}

static void end(call *made) {
    if (made->held != NULL) {
        for (int32_t i = 0; i < made->input_count + made->output_count; i++) {
            Py_XDECREF(made->held[i]);
        }
    }
    for (int32_t i = 0; i < made->attribute_array_count; i++) {
        Py_XDECREF(made->attribute_arrays[i]);
    }
    Py_XDECREF(made->given_inputs);
    Py_XDECREF(made->given_outputs);
    room_close(&made->own_room);
}

/* A new reference to an output that the call holds. */
static PyObject *output_at(const call *made, int32_t index) {
    PyObject *array = made->held[made->input_count + index];
    Py_INCREF(array);
    return array;
}

static PyObject *all_outputs(const call *made) {
    PyObject *arrays = PyTuple_New(made->output_count);
    for (int32_t i = 0; arrays != NULL && i < made->output_count; i++) {
        PyTuple_SetItem(arrays, i, output_at(made, i));
    }
    return arrays;
}

#endif
