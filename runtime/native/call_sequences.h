/* Calls with sequences and optionals: lists of arrays and None as inputs, and new lists as outputs.
 * What else there may be in a list, the fallback reads. */
#ifndef OPMILL_NATIVE_CALL_SEQUENCES_H
#define OPMILL_NATIVE_CALL_SEQUENCES_H

#include "read.h"

/* True for the type of a sequence or of an optional. */
static bool is_sequence_type(int32_t type) { return type >= OPMILL_SEQUENCE; }

/* True if a parameter can be nothing but a sequence, or nothing but an optional. */
static bool is_sequence(const opmill_parameter *parameter) {
    return parameter->type_count > 0 && is_sequence_type(parameter->types[0]);
}

/* True if an input of a call is a sequence or an optional. */
static bool holds_sequences(const native_call *call) {
    bool found = false;
    for (int32_t i = 0; i < call->input_count; i++) {
        found = found || (call->inputs[i] != NULL && is_sequence_type(call->inputs[i]->type));
    }
    return found;
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

/* True if the lists that are an output have arrays of the inputs: those of operators for sequences
 * alone have them. Others return copies. */
static bool shares_arrays(const opmill_parameter *output) {
    return is_sequence(output) && output->types[0] < OPMILL_OPTIONAL_TYPE;
}

/* True if the lists that a call returns have arrays of its inputs. */
static bool shares_inputs(const opmill_operator *operator) {
    return operator->output_count > 0 && operator->creates_tensors == 0 &&
           shares_arrays(&operator->outputs[operator->output_count - 1]);
}

/* An optional without contents. */
static step read_nothing(native_call *call, int32_t position) {
    const npy_intp none = 0;
    call->inputs[position] = new_tensor(call, OPMILL_OPTIONAL_TYPE, 1, &none, NULL);
    return call->inputs[position] != NULL ? DONE : RAISED;
}

/* Replaces an input by an optional, whose contents it is. */
static step wrap_contents(native_call *call, int32_t position) {
    const opmill_tensor *contents = call->inputs[position];
    const opmill_tensor **pointer = arena_take(call->arena, 1, sizeof *pointer);
    const npy_intp one = 1;
    if (pointer == NULL) {
        return RAISED;
    }
    *pointer = contents;
    call->inputs[position] =
        new_tensor(call, OPMILL_OPTIONAL_TYPE + contents->type, 1, &one, pointer);
    return call->inputs[position] != NULL ? DONE : RAISED;
}

/* The contents of an optional that has some; another value itself. */
static const opmill_tensor *contents_of(const opmill_tensor *tensor) {
    return tensor->type >= OPMILL_OPTIONAL_TYPE && tensor->dims[0] > 0
               ? *(const opmill_tensor *const *)tensor->data
               : tensor;
}

/* The type of the contents of an output that is an optional, in ONNX's words. Of another, Python
 * reports what is expected. */
static step read_type(const native_call *call, PyObject *given, int32_t *type) {
    static const char *const WORDS[] = {
        "float",    "uint8",        "int8",           "uint16",     "int16",
        "int32",    "int64",        "string",         "bool",       "float16",
        "double",   "uint32",       "uint64",         "complex64",  "complex128",
        "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
        "uint4",    "int4",         "float4e2m1",     "float8e8m0", "uint2",
        "int2",     "float6e2m3",   "float6e3m2",
    };
    if (!PyUnicode_CheckExact(given)) {
        return FALLBACK;
    }
    const opmill_parameter *const output = &call->operator->outputs[0];
    for (int32_t i = 0; i < output->type_count; i++) {
        const int32_t contents = output->types[i] - OPMILL_OPTIONAL_TYPE;
        const int32_t element = contents % OPMILL_SEQUENCE;
        char words[48];
        if (contents < OPMILL_FLOAT || element > (int32_t)(sizeof WORDS / sizeof WORDS[0])) {
            continue;
        }
        PyOS_snprintf(words, sizeof words,
                      contents >= OPMILL_SEQUENCE ? "seq(tensor(%s))" : "tensor(%s)",
                      WORDS[element - OPMILL_FLOAT]);
        if (PyUnicode_CompareWithASCIIString(given, words) == 0) {
            *type = contents;
            return DONE;
        }
    }
    return FALLBACK;
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

/* Memory for the elements of an output that is a sequence or an optional. */
static step hold_sequence_output(native_call *call, int32_t index) {
    const opmill_shape *shape = &call->shapes[index];
    const npy_intp count = (npy_intp)shape->dims[0];
    const int32_t item = shape->type % OPMILL_SEQUENCE;
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
        if (call->inputs[at] == NULL || call->arrays[at] == NULL) {
            continue;
        }
        const opmill_tensor *const input = contents_of(call->inputs[at]);
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

/* A new reference to a copy of an array, which is released. */
static PyObject *copy_instead(PyObject *array) {
    PyObject *copy = array != NULL ? PyArray_NewCopy((PyArrayObject *)array, NPY_CORDER) : NULL;
    Py_XDECREF(array);
    return copy;
}

/* A TensorSequence of the arrays of an output, or of copies. */
static PyObject *list_of(const native_call *call, const opmill_tensor *output, PyObject *block,
                         bool copies) {
    const opmill_tensor *const *items = output->data;
    const int32_t item = output->type % OPMILL_SEQUENCE;
    const Py_ssize_t count = (Py_ssize_t)output->dims[0];
    PyObject *list = PyList_New(count);
    int32_t hint = 0;
    for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
        PyObject *array =
            block != NULL ? array_over(items[i], block) : array_of_input(call, items[i], &hint);
        array = copies ? copy_instead(array) : array;
        if (array == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SetItem(list, i, array);
        }
    }
    PyObject *dtype = dtype_of[item] != NULL  ? (PyObject *)dtype_of[item]
                      : item == OPMILL_STRING ? (PyObject *)&PyUnicode_Type
                                              : Py_None;
    PyObject *sequence =
        list != NULL ? PyObject_CallFunctionObjArgs(sequence_class, list, dtype, NULL) : NULL;
    Py_XDECREF(list);
    return sequence;
}

/* A new reference to what Python has for an output that is a sequence or an optional. */
static PyObject *value_of(const native_call *call, const opmill_tensor *output, PyObject *block,
                          bool copies) {
    int32_t hint = 0;
    if (output->type >= OPMILL_OPTIONAL_TYPE && output->dims[0] == 0) {
        Py_INCREF(Py_None);
        return Py_None;
    }
    const opmill_tensor *const contents = contents_of(output);
    return is_sequence_type(contents->type) ? list_of(call, contents, block, copies)
                                            : copy_instead(array_of_input(call, contents, &hint));
}

/* Puts new values in the place of the outputs that are sequences or optionals. */
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
        const opmill_operator *const operator = call->operator;
        const int32_t last = operator->output_count - 1;
        PyObject *value =
            value_of(call, output, block,
                     block == NULL && !shares_arrays(&operator->outputs[i < last ? i : last]));
        call->arrays[call->input_count + i] = value;
        stored = value != NULL ? DONE : RAISED;
    }
    Py_XDECREF(block);
    return stored;
}

#endif
