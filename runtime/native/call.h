/* A call from begin() to end(): the inputs are read; the C library checks them, requests
 * the outputs, which are created or taken from the caller, and computes. */
#ifndef OPMILL_NATIVE_CALL_H
#define OPMILL_NATIVE_CALL_H

#include "call_sequences.h"
#include "call_strings.h"
#include "read.h"

/* A call that moves less than this uses one thread, and holds the GIL unless the kernel requests
 * scratch memory: below it, neither threads nor releasing the GIL pay off. */
enum { SMALL_BYTES = 16 * 1024 };

enum { ERROR_CODES = OPMILL_ERROR_INTERNAL + 1 };

static PyObject *error_classes[ERROR_CODES]; /* what to raise, by enum opmill_code */
static int32_t thread_count = 1;

/* Outputs */

static bool overlaps(PyArrayObject *a, PyObject *object) {
    if (object == NULL) {
        return false;
    }
    PyArrayObject *other = (PyArrayObject *)object;
    const uintptr_t first = (uintptr_t)PyArray_DATA(a), second = (uintptr_t)PyArray_DATA(other);
    const size_t length = (size_t)PyArray_NBYTES(a), bytes = (size_t)PyArray_NBYTES(other);
    return length > 0 && bytes > 0 && first < second + bytes && second < first + length;
}

/* Whether a kernel may write to a buffer itself. */
static bool takes_result(const native_call *call, PyObject *given, const opmill_shape *shape,
                         int32_t index) {
    PyArrayObject *array = (PyArrayObject *)given;
    if (!(call->exact ? PyArray_CheckExact(given) : PyArray_Check(given)) ||
        !PyArray_ISCARRAY(array) || code_of(array) != shape->type ||
        PyArray_NDIM(array) != shape->rank) {
        return false;
    }
    for (int i = 0; i < shape->rank; i++) {
        if (PyArray_DIM(array, i) != shape->dims[i]) {
            return false;
        }
    }
    for (int32_t i = 0; i < call->input_count + index; i++) {
        if (overlaps(array, call->arrays[i])) {
            return false;
        }
    }
    for (int32_t i = 0; i < call->attribute_array_count; i++) {
        if (overlaps(array, call->attribute_arrays[i])) {
            return false;
        }
    }
    return true;
}

/* The buffer `given`, or a new array where that is NULL. */
static step hold_output(native_call *call, int32_t index, PyObject *given) {
    const opmill_shape *shape = &call->shapes[index];
    npy_intp dims[OPMILL_MAX_RANK];
    if ((has_sequences(call->operator) || holds_sequences(call)) && given != NULL) {
        return FALLBACK;
    }
    if (is_sequence_type(shape->type)) {
        return hold_sequence_output(call, index);
    }
    if (shape->type == OPMILL_STRING) {
        return hold_string_output(call, index, given);
    }
    if (given != NULL) {
        if (!takes_result(call, given, shape, index)) {
            return FALLBACK;
        }
        Py_INCREF(given);
    } else {
        PyArray_Descr *dtype = dtype_of[shape->type];
        if (dtype == NULL) {
            return FALLBACK;
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
    call->arrays[call->input_count + index] = given;
    call->bytes += (size_t)PyArray_NBYTES(array);
    call->outputs[index] =
        new_tensor(call, shape->type, shape->rank, PyArray_DIMS(array), PyArray_DATA(array));
    return call->outputs[index] != NULL ? DONE : RAISED;
}

/* `out` is None, an array for the one output, or a list or tuple with an array for each. */
static step hold_outputs(native_call *call) {
    const int32_t count = call->output_count;
    PyObject *out = call->out;
    PyObject *items = call->given_outputs; /* NULL for None and for a single array */
    if (items != NULL ? PyTuple_Size(items) != count : out != Py_None && count != 1) {
        return FALLBACK;
    }
    step done = DONE;
    for (int32_t i = 0; i < count && done == DONE; i++) {
        PyObject *given = items != NULL ? PyTuple_GetItem(items, i) : out != Py_None ? out : NULL;
        done = hold_output(call, i, given);
    }
    return done;
}

/* The call */

static step raise_error(const native_call *call, int code) {
    const char *label = call->operator->label;
    const char *reason = call->context.error.message + strlen(label) + strlen(": ");
    PyObject *error = PyObject_CallFunction(error_classes[code], "ss", label, reason);
    if (error != NULL) {
        PyErr_SetObject(error_classes[code], error);
        Py_DECREF(error);
    }
    return RAISED;
}

static step make_shapes(native_call *call) {
    call->shapes = arena_take(call->arena, (size_t)call->output_count, sizeof *call->shapes);
    return call->shapes != NULL ? DONE : RAISED;
}

static bool is_small(const native_call *call) { return call->bytes < SMALL_BYTES; }

/* Whether only the data determine the shape of some output. */
static bool is_bounded(const opmill_operator *operator) {
    for (int32_t i = 0; i < operator->output_count; i++) {
        if (operator->outputs[i].bounded != 0) {
            return true;
        }
    }
    return false;
}

static bool is_measured(const native_call *call) { return is_bounded(call->operator); }

static void hold_gil(native_call *call) {
    if (call->released != NULL) {
        PyEval_RestoreThread(call->released);
        call->released = NULL;
    }
}

/* The functions of opmill_allocator. */

static int allocate_outputs(void *user, const opmill_shape *shapes, opmill_tensor **outputs,
                            int32_t output_count) {
    native_call *call = user;
    const bool released = call->released != NULL; /* for the measurement */
    (void)shapes;                                 /* these are the call's own */
    (void)outputs;
    (void)output_count;
    hold_gil(call);
    call->stopped = hold_outputs(call);
    if (released) {
        call->released = PyEval_SaveThread();
    } else if (!is_measured(call)) {
        call->context.threads = is_small(call) ? 1 : thread_count;
    }
    return call->stopped == DONE ? OPMILL_OK : OPMILL_ERROR_CALL;
}

static int allocate_workspace(void *user, size_t bytes, opmill_context *context) {
    native_call *call = user;
    if (bytes > 0) {
        context->workspace = scratch_take(&call->workspace, bytes);
        context->workspace_size = bytes;
        if (context->workspace == NULL) {
            call->stopped = RAISED;
            return OPMILL_ERROR_CALL;
        }
    }
    if (bytes > 0 || !is_small(call)) {
        call->released = PyEval_SaveThread();
    }
    return OPMILL_OK;
}

static step compute(native_call *call) {
    const opmill_allocator allocator = {call, allocate_outputs, allocate_workspace};
    const opmill_block_allocator strings = {call, allocate_strings};
    const opmill_block_allocator sequences = {call, allocate_tensors};
    step done = make_shapes(call);
    call->outputs = done == DONE
                        ? arena_take(call->arena, (size_t)call->output_count, sizeof *call->outputs)
                        : NULL;
    if (call->outputs == NULL) {
        return RAISED;
    }
    call->context.threads = is_small(call) ? 1 : thread_count;
    call->context.strings = &strings;
    call->context.sequences = &sequences;
    const int code = opmill_run_allocating(call->operator, call->inputs, call->input_count,
                                           call->attributes, call->shapes, call->outputs,
                                           call->output_count, &allocator, &call->context);
    hold_gil(call);
    scratch_give_back(&call->workspace);
    call->context.strings = call->context.sequences = NULL;
    if (call->stopped != DONE) {
        return call->stopped;
    }
    if (call->lacks_memory) {
        PyErr_NoMemory();
        return RAISED;
    }
    step stored = code == OPMILL_OK ? store_strings(call) : raise_error(call, code);
    return stored == DONE ? store_sequences(call) : stored;
}

/* Performs a whole call. The outputs remain referenced until end(). */
static step perform(native_call *call, PyObject *inputs, PyObject *attributes, PyObject *out) {
    call->out = out;
    call->takes_strings = reads_strings(call->operator);
    call->shares_inputs = shares_inputs(call->operator);
    step done = take_arguments(call, inputs, attributes, out);
    if (done == DONE) {
        done = read_inputs(call);
    }
    return done == DONE ? compute(call) : done;
}

/* The types and shapes of the outputs, the actual ones where they depend on data. */
static step measure(native_call *call) {
    step done = make_shapes(call);
    if (done != DONE) {
        return done;
    }
    call->context.threads = is_small(call) ? 1 : thread_count;
    if (!is_measured(call)) {
        const int code =
            opmill_infer(call->operator, call->inputs, call->input_count, call->attributes,
                         call->shapes, call->output_count, &call->context);
        return code == OPMILL_OK ? DONE : raise_error(call, code);
    }
    size_t needed = 0;
    int code = opmill_workspace(call->operator, call->inputs, call->input_count, call->attributes,
                                call->output_count, &needed, &call->context);
    if (code == OPMILL_OK) {
        if (allocate_workspace(call, needed, &call->context) != OPMILL_OK) {
            return call->stopped;
        }
        code = opmill_measure(call->operator, call->inputs, call->input_count, call->attributes,
                              call->shapes, call->output_count, &call->context);
        hold_gil(call);
        scratch_give_back(&call->workspace);
    }
    return code == OPMILL_OK ? DONE : raise_error(call, code);
}

/* Explains a call: all of it but the outputs' memory and the computation. */
static step explain(native_call *call, PyObject *inputs, PyObject *attributes,
                    opmill_choice *choice) {
    call->takes_strings = reads_strings(call->operator);
    step done = take_arguments(call, inputs, attributes, NULL);
    if (done == DONE) {
        done = read_inputs(call);
    }
    if (done == DONE) {
        done = measure(call);
    }
    for (int32_t i = 0; i < call->output_count && done == DONE; i++) {
        if (is_sequence_type(call->shapes[i].type)) {
            continue;
        }
        PyArray_Descr *dtype = dtype_of[call->shapes[i].type];
        const bool strings =
            call->shapes[i].type == OPMILL_STRING && call->operator->creates_strings != 0;
        size_t bytes = dtype != NULL ? (size_t)PyDataType_ELSIZE(dtype) : sizeof(char *);
        for (int32_t k = 0; k < call->shapes[i].rank; k++) {
            bytes *= (size_t)call->shapes[i].dims[k];
        }
        call->bytes += bytes;
        done = dtype != NULL || strings ? DONE : FALLBACK;
    }
    if (done != DONE) {
        return done;
    }
    call->context.threads = is_small(call) ? 1 : thread_count;
    const int code = opmill_choose(call->operator, call->inputs, call->input_count,
                                   call->attributes, call->output_count, choice, &call->context);
    if (code == OPMILL_OK && choice->variant == NULL) {
        choice->threads = call->context.threads;
    }
    return code == OPMILL_OK ? DONE : raise_error(call, code);
}

/* The bytes of scratch memory that a call needs with one thread. */
static step find_workspace(native_call *call, PyObject *inputs, PyObject *attributes,
                           size_t *bytes) {
    step done = take_arguments(call, inputs, attributes, NULL);
    if (done == DONE) {
        done = read_inputs(call);
    }
    if (done != DONE) {
        return done;
    }
    call->context.threads = 1;
    const int code = opmill_workspace(call->operator, call->inputs, call->input_count,
                                      call->attributes, call->output_count, bytes, &call->context);
    return code == OPMILL_OK ? DONE : raise_error(call, code);
}

/* Packs an input, and sets `packed`, NULL where nothing is gained by that. */
static step prepare(native_call *call, PyObject *inputs, PyObject *attributes, int32_t position,
                    Packed **packed) {
    size_t bytes = 0;
    call->is_partial = true;
    step done = take_arguments(call, inputs, attributes, NULL);
    if (done == DONE) {
        done = read_inputs(call);
    }
    if (done != DONE || position >= call->input_count || call->arrays[position] == NULL) {
        return done;
    }
    int code = opmill_prepare_size(call->operator, call->inputs, call->input_count,
                                   call->attributes, position, &bytes, &call->context);
    if (code != OPMILL_OK || bytes == 0) {
        return code == OPMILL_OK ? DONE : raise_error(call, code);
    }
    *packed = packed_new(call->arrays[position], position, &call->context);
    void *block = *packed != NULL ? packed_block(*packed, bytes) : NULL;
    if (block == NULL) {
        return RAISED;
    }
    call->released = PyEval_SaveThread();
    code = opmill_prepare(call->operator, call->inputs, call->input_count, call->attributes,
                          position, block, bytes, &call->context);
    hold_gil(call);
    return code == OPMILL_OK ? DONE : raise_error(call, code);
}

static void begin(native_call *call, const opmill_operator *operator, PyObject *attribute_names,
                  bool exact, int32_t output_count) {
    call->operator = operator;
    call->attribute_names = attribute_names;
    call->exact = exact;
    call->is_partial = false;
    call->takes_strings = false;
    call->shares_inputs = false;
    call->strings = NULL;
    call->tensors = NULL;
    call->lacks_memory = false;
    call->prepared = NULL;
    call->input_count = 0;
    call->output_count = output_count;
    call->arrays = NULL;
    call->attribute_arrays = NULL;
    call->attribute_array_count = 0;
    call->given_inputs = NULL;
    call->given_outputs = NULL;
    call->bytes = 0;
    call->stopped = DONE;
    call->workspace = (scratch){NULL, 0};
    call->released = NULL;
    call->arena = &call->own_arena;
    arena_open(call->arena);
    call->context = (opmill_context)OPMILL_CONTEXT_INIT;
}

static void end(native_call *call) {
    if (call->arrays != NULL) {
        for (int32_t i = 0; i < call->input_count + call->output_count; i++) {
            Py_XDECREF(call->arrays[i]);
        }
    }
    for (int32_t i = 0; i < call->attribute_array_count; i++) {
        Py_XDECREF(call->attribute_arrays[i]);
    }
    Py_XDECREF(call->given_inputs);
    Py_XDECREF(call->given_outputs);
    free(call->strings);
    free(call->tensors);
    arena_close(&call->own_arena);
}

/* A new reference to an output that the call holds. */
static PyObject *output_at(const native_call *call, int32_t index) {
    PyObject *array = call->arrays[call->input_count + index];
    Py_INCREF(array);
    return array;
}

static PyObject *all_outputs(const native_call *call) {
    PyObject *arrays = PyTuple_New(call->output_count);
    for (int32_t i = 0; arrays != NULL && i < call->output_count; i++) {
        PyTuple_SetItem(arrays, i, output_at(call, i));
    }
    return arrays;
}

#endif
