/* A call from begin() to end(): the inputs are read, the C library checks them and tells the
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
static step hold_outputs(call *made, PyObject *out) {
    const int32_t count = made->output_count;
    PyObject *items = made->given_outputs; /* NULL for None and for a single array */
    if (items != NULL ? PyTuple_Size(items) != count : out != Py_None && count != 1) {
        return ODD;
    }
    made->outputs = room_take(&made->room, (size_t)count, sizeof *made->outputs);
    if (made->outputs == NULL) {
        return RAISED;
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

static step infer(call *made) {
    made->shapes = room_take(&made->room, (size_t)made->output_count, sizeof *made->shapes);
    if (made->shapes == NULL) {
        return RAISED;
    }
    const int code = opmill_infer(made->kernel, made->inputs, made->input_count, made->attributes,
                                  made->shapes, made->output_count, &made->context);
    return code == OPMILL_OK ? DONE : raise_error(made, code);
}

static int run_kernel(call *made) {
    return opmill_run(made->kernel, made->inputs, made->input_count, made->attributes,
                      made->outputs, made->output_count, &made->context);
}

static int measure_kernel(call *made) {
    return opmill_measure(made->kernel, made->inputs, made->input_count, made->attributes,
                          made->shapes, made->output_count, &made->context);
}

static bool is_small(const call *made) { return made->bytes < SMALL_BYTES; }

/* A function of the kernel that looks at data, with the threads and scratch memory for it. */
static step work(call *made, int (*function)(call *made)) {
    const bool small = is_small(made);
    opmill_context *context = &made->context;
    scratch *kept = NULL;
    size_t needed = 0;
    context->threads = small ? 1 : thread_count;
    int code = opmill_workspace(made->kernel, made->inputs, made->input_count, made->attributes,
                                made->output_count, &needed, context);
    if (code != OPMILL_OK) {
        return raise_error(made, code);
    }
    if (needed > 0) {
        kept = scratch_of_thread(1);
        context->workspace = kept != NULL ? scratch_take(kept, needed) : NULL;
        context->workspace_size = needed;
        if (context->workspace == NULL) {
            return RAISED;
        }
    }
    if (small && needed == 0) {
        code = function(made);
    } else {
        Py_BEGIN_ALLOW_THREADS code = function(made);
        Py_END_ALLOW_THREADS
    }
    if (kept != NULL) {
        scratch_give_back(kept);
    }
    return code == OPMILL_OK ? DONE : raise_error(made, code);
}

/* The actual shapes, where opmill_infer returns upper bounds. */
static step measure(call *made) {
    for (int32_t i = 0; i < made->kernel->output_count; i++) {
        if (made->kernel->outputs[i].bounded != 0) {
            return work(made, measure_kernel);
        }
    }
    return DONE;
}

/* All of a call. The outputs are held then, and last until end(). */
static step perform(call *made, PyObject *inputs, PyObject *attributes, PyObject *out) {
    step done = take_arguments(made, inputs, attributes, out);
    if (done == DONE) {
        done = read_inputs(made);
    }
    if (done == DONE) {
        done = infer(made);
    }
    if (done == DONE) {
        done = measure(made);
    }
    if (done == DONE) {
        done = hold_outputs(made, out);
    }
    return done == DONE ? work(made, run_kernel) : done;
}

/* How a call would be computed: all of it but the outputs' memory and the computation. */
static step explain(call *made, PyObject *inputs, PyObject *attributes, opmill_choice *choice) {
    step done = take_arguments(made, inputs, attributes, NULL);
    if (done == DONE) {
        done = read_inputs(made);
    }
    if (done == DONE) {
        done = infer(made);
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

static void begin(call *made, const opmill_operator *kernel, PyObject *attribute_names, bool exact,
                  int32_t output_count) {
    made->kernel = kernel;
    made->attribute_names = attribute_names;
    made->exact = exact;
    made->input_count = 0;
    made->output_count = output_count;
    made->held = NULL;
    made->attribute_arrays = NULL;
    made->attribute_array_count = 0;
    made->given_inputs = NULL;
    made->given_outputs = NULL;
    made->bytes = 0;
    room_open(&made->room);
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
    room_close(&made->room);
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
