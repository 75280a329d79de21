/* Calls that read strings or create them: the memory of strings in C, and arrays of objects. */
#ifndef OPMILL_NATIVE_CALL_STRINGS_H
#define OPMILL_NATIVE_CALL_STRINGS_H

#include "read.h"

/* Whether the C library reads the strings of inputs: those of outputs would point to them, but for
 * strings that are created, or there are none. */
static bool reads_strings(const opmill_operator *operator) {
    for (int32_t i = 0; i < operator->output_count; i++) {
        if (operator->outputs[i].types[0] >= OPMILL_SEQUENCE) {
            return false;
        }
        for (int32_t k = 0; k < operator->outputs[i].type_count; k++) {
            if (operator->outputs[i].types[k] == OPMILL_STRING) {
                return operator->creates_strings != 0;
            }
        }
    }
    return true;
}

/* Whether the elements of a buffer may be replaced by strings. */
static bool takes_strings(const native_call *call, PyObject *given, const opmill_shape *shape) {
    PyArrayObject *array = (PyArrayObject *)given;
    bool fits = (call->exact ? PyArray_CheckExact(given) : PyArray_Check(given)) &&
                PyArray_TYPE(array) == NPY_OBJECT && PyArray_ISCARRAY(array) &&
                PyArray_NDIM(array) == shape->rank;
    for (int i = 0; fits && i < shape->rank; i++) {
        fits = PyArray_DIM(array, i) == shape->dims[i];
    }
    return fits;
}

/* An array of objects, and memory for the strings that the call creates for it. */
static step hold_string_output(native_call *call, int32_t index, PyObject *given) {
    const opmill_shape *shape = &call->shapes[index];
    npy_intp dims[OPMILL_MAX_RANK];
    if (call->operator->creates_strings == 0 ||
        (given != NULL && !takes_strings(call, given, shape))) {
        return FALLBACK;
    }
    for (int i = 0; i < shape->rank; i++) {
        dims[i] = (npy_intp)shape->dims[i];
    }
    Py_XINCREF(given);
    PyObject *stored = given != NULL ? given : PyArray_SimpleNew(shape->rank, dims, NPY_OBJECT);
    if (stored == NULL) {
        return RAISED;
    }
    call->arrays[call->input_count + index] = stored;
    const size_t count = (size_t)PyArray_SIZE((PyArrayObject *)stored);
    const char **texts = arena_take(call->arena, count, sizeof *texts);
    if (texts == NULL) {
        return RAISED;
    }
    call->bytes += count * sizeof *texts;
    call->outputs[index] = new_tensor(call, OPMILL_STRING, shape->rank, dims, texts);
    return call->outputs[index] != NULL ? DONE : RAISED;
}

/* The function of opmill_block_allocator for strings. It may be called without the GIL. */
static void *allocate_strings(void *user, size_t bytes) {
    native_call *call = user;
    call->strings = malloc(bytes);
    call->lacks_memory = call->strings == NULL;
    return call->strings;
}

/* Replaces the strings of C in the outputs by those of Python. */
static step store_strings(native_call *call) {
    step stored = DONE;
    for (int32_t i = 0; i < call->output_count && stored == DONE; i++) {
        const opmill_tensor *output = call->outputs[i];
        if (output->type == OPMILL_STRING) {
            stored = store_texts(call->arena, (PyArrayObject *)call->arrays[call->input_count + i],
                                 output->data);
        }
    }
    return stored;
}

#endif
