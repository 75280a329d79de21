/* Calls with sequences: lists of arrays as inputs, and new lists as outputs. What else there may be
 * in a list, the fallback reads. */
#ifndef OPMILL_NATIVE_CALL_SEQUENCES_H
#define OPMILL_NATIVE_CALL_SEQUENCES_H

#include "read.h"

static bool is_sequence_type(int32_t type) { return type >= OPMILL_SEQUENCE; }

/* True if a parameter can be nothing but a sequence. */
static bool is_sequence(const opmill_parameter *parameter) {
    return parameter->type_count > 0 && is_sequence_type(parameter->types[0]);
}

static bool has_sequences(const opmill_operator *operator) {
    bool found = false;
    for (int32_t i = 0; i < operator->input_count; i++) {
        found = found || is_sequence(&operator->inputs[i]);
    }
    for (int32_t i = 0; i < operator->output_count; i++) {
        found = found || is_sequence(&operator->outputs[i]);
    }
    return found;
}

/* True if the lists that a call returns have arrays of its inputs. */
static bool shares_inputs(const opmill_operator *operator) {
    return operator->output_count > 0 && operator->creates_tensors == 0 &&
           is_sequence(&operator->outputs[operator->output_count - 1]);
}

/* The element type of a list without arrays, which a TensorSequence knows. */
static step read_empty_type(PyObject *given, int32_t *type) {
    *type = OPMILL_UNDEFINED;
    if ((PyObject *)Py_TYPE(given) != sequence_class) {
        return DONE;
    }
    PyObject *dtype = PyObject_GetAttrString(given, "dtype");
    if (dtype == NULL) {
        return RAISED;
    }
    for (int32_t code = 1; code < TYPE_CODES && PyArray_DescrCheck(dtype); code++) {
        if (dtype_of[code] != NULL && PyArray_EquivTypes(dtype_of[code], (PyArray_Descr *)dtype)) {
            *type = code;
        }
    }
    const bool is_read = dtype == Py_None || *type != OPMILL_UNDEFINED;
    Py_DECREF(dtype);
    return is_read ? DONE : FALLBACK;
}

/* A list of arrays that C can read as they are, all of one type. The tuple of its items is what the
 * call holds for it; their tensors follow each other in memory. */
static step read_sequence(native_call *call, int32_t position, PyObject *given) {
    if (!PyTuple_CheckExact(given) && !PyList_CheckExact(given) &&
        (PyObject *)Py_TYPE(given) != sequence_class) {
        return FALLBACK;
    }
    PyObject *items = PySequence_Tuple(given);
    if (items == NULL) {
        return RAISED;
    }
    call->arrays[position] = items;
    const Py_ssize_t count = PyTuple_Size(items);
    opmill_tensor *tensors = arena_take(call->arena, (size_t)count, sizeof *tensors);
    const opmill_tensor **pointers = arena_take(call->arena, (size_t)count, sizeof *pointers);
    int32_t type = OPMILL_UNDEFINED;
    if (tensors == NULL || pointers == NULL) {
        return RAISED;
    }
    if (count == 0) {
        const step read = read_empty_type(given, &type);
        if (read != DONE) {
            return read;
        }
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyArrayObject *array = (PyArrayObject *)PyTuple_GetItem(items, i);
        if (!PyArray_CheckExact((PyObject *)array) || !PyArray_ISCARRAY_RO(array) ||
            code_of(array) == OPMILL_UNDEFINED || (i > 0 && code_of(array) != type)) {
            return FALLBACK;
        }
        type = code_of(array);
        const opmill_tensor *tensor =
            new_tensor(call, type, PyArray_NDIM(array), PyArray_DIMS(array), PyArray_DATA(array));
        if (tensor == NULL) {
            return RAISED;
        }
        tensors[i] = *tensor;
        pointers[i] = &tensors[i];
        call->bytes += (size_t)PyArray_NBYTES(array);
    }
    const npy_intp dims = (npy_intp)count;
    call->inputs[position] = new_tensor(call, OPMILL_SEQUENCE + type, 1, &dims, pointers);
    return call->inputs[position] != NULL ? DONE : RAISED;
}

/* Memory for the elements of an output that is a sequence. */
static step hold_sequence_output(native_call *call, int32_t index) {
    const opmill_shape *shape = &call->shapes[index];
    const npy_intp count = (npy_intp)shape->dims[0];
    const int32_t item = shape->type - OPMILL_SEQUENCE;
    const opmill_tensor **items = arena_take(call->arena, (size_t)count, sizeof *items);
    if (items == NULL) {
        return RAISED;
    }
    if (item != OPMILL_UNDEFINED && dtype_of[item] == NULL && item != OPMILL_STRING) {
        return FALLBACK;
    }
    if (item == OPMILL_STRING && count > 0) {
        return FALLBACK;
    }
    call->bytes += (size_t)count * sizeof *items;
    call->outputs[index] = new_tensor(call, shape->type, 1, &count, items);
    return call->outputs[index] != NULL ? DONE : RAISED;
}

/* The function of opmill_block_allocator for tensors. It may be called without the GIL. */
static void *allocate_tensors(void *user, size_t bytes) {
    native_call *call = user;
    call->tensors = malloc(bytes);
    call->lacks_memory = call->tensors == NULL;
    return call->tensors;
}

static void free_block(PyObject *capsule) { free(PyCapsule_GetPointer(capsule, NULL)); }

/* A new reference to an array over a tensor in a block, which it keeps alive. */
static PyObject *array_over(const opmill_tensor *tensor, PyObject *block) {
    npy_intp dims[OPMILL_MAX_RANK];
    PyArray_Descr *dtype = dtype_of[tensor->type];
    for (int i = 0; i < tensor->rank; i++) {
        dims[i] = (npy_intp)tensor->dims[i];
    }
    Py_INCREF((PyObject *)dtype);
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, dtype, tensor->rank, dims, NULL,
                                           tensor->data, NPY_ARRAY_CARRAY, NULL);
    Py_INCREF(block);
    if (array == NULL) {
        Py_DECREF(block);
    } else if (PyArray_SetBaseObject((PyArrayObject *)array, block) < 0) {
        Py_CLEAR(array); /* the reference to the block is taken in any case */
    }
    return array;
}

/* A new reference to the array behind a tensor of the inputs. `hint` is the input to try first, and
 * becomes the one after what is found. */
static PyObject *array_of_input(const native_call *call, const opmill_tensor *tensor,
                                int32_t *hint) {
    for (int32_t tried = 0; tried < call->input_count; tried++) {
        const int32_t at = (*hint + tried) % call->input_count;
        const opmill_tensor *input = call->inputs[at];
        if (input == NULL) {
            continue;
        }
        if (input == tensor) {
            *hint = at + 1;
            Py_INCREF(call->arrays[at]);
            return call->arrays[at];
        }
        if (is_sequence_type(input->type) && input->dims[0] > 0) {
            const opmill_tensor *const *items = input->data;
            const uintptr_t first = (uintptr_t)items[0], own = (uintptr_t)tensor;
            if (own >= first && own < first + (uintptr_t)input->dims[0] * sizeof *tensor) {
                const Py_ssize_t index = (Py_ssize_t)((own - first) / sizeof *tensor);
                PyObject *array = PyTuple_GetItem(call->arrays[at], index);
                *hint = at;
                Py_INCREF(array);
                return array;
            }
        }
    }
    PyErr_SetString(PyExc_SystemError, "a sequence has a tensor of no input");
    return NULL;
}

/* A list of the arrays of an output. */
static PyObject *list_of(const native_call *call, const opmill_tensor *output, PyObject *block) {
    const opmill_tensor *const *items = output->data;
    const Py_ssize_t count = (Py_ssize_t)output->dims[0];
    PyObject *list = PyList_New(count);
    int32_t hint = 0;
    for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
        PyObject *array =
            block != NULL ? array_over(items[i], block) : array_of_input(call, items[i], &hint);
        if (array == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SetItem(list, i, array);
        }
    }
    return list;
}

/* Puts new lists in the place of the outputs that are sequences. */
static step store_sequences(native_call *call) {
    PyObject *block = NULL;
    step stored = DONE;
    if (call->tensors != NULL) {
        block = PyCapsule_New(call->tensors, NULL, free_block);
        if (block == NULL) {
            return RAISED;
        }
        call->tensors = NULL; /* the capsule owns it */
    }
    for (int32_t i = 0; i < call->output_count && stored == DONE; i++) {
        const opmill_tensor *output = call->outputs[i];
        if (!is_sequence_type(output->type)) {
            continue;
        }
        const int32_t item = output->type - OPMILL_SEQUENCE;
        PyObject *dtype = item < TYPE_CODES && dtype_of[item] != NULL ? (PyObject *)dtype_of[item]
                          : item == OPMILL_STRING                     ? (PyObject *)&PyUnicode_Type
                                                                      : Py_None;
        PyObject *list = list_of(call, output, block);
        PyObject *sequence =
            list != NULL ? PyObject_CallFunctionObjArgs(sequence_class, list, dtype, NULL) : NULL;
        Py_XDECREF(list);
        call->arrays[call->input_count + i] = sequence;
        stored = sequence != NULL ? DONE : RAISED;
    }
    Py_XDECREF(block);
    return stored;
}

#endif
