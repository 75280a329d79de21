/* Reads what a call from Python gives into what the C library takes. */
#ifndef OPMILL_NATIVE_READ_H
#define OPMILL_NATIVE_READ_H

#include <stdbool.h>
#include <string.h>

#include <opmill/operator.h>

#include "call_memory.h"
#include "prepared.h"
#include "step.h"
#include "strings.h"
#include "types.h"

static PyObject *sparse_class;   /* SparseTensor, by setup() */
static PyObject *sequence_class; /* TensorSequence, by setup() */

typedef struct native_call {
    const opmill_operator *operator;
    PyObject *attribute_names; /* a tuple of interned strings */
    bool exact;                /* arrays of the class ndarray only */
    bool is_partial;           /* inputs may be missing */
    bool takes_strings;        /* arrays of strings may be inputs */
    bool shares_inputs;        /* the call returns arrays of its inputs */
    int32_t input_count;
    int32_t output_count;
    const opmill_tensor **inputs;
    opmill_tensor **outputs;
    void *attributes;
    opmill_shape *shapes;
    PyObject **arrays; /* the arrays behind inputs, then those of outputs; NULL for none */
    PyObject **attribute_arrays; /* those behind attributes, each new_tensor's; NULL for none */
    int32_t attribute_array_count;
    PyObject *given_inputs;    /* a tuple */
    PyObject *given_outputs;   /* a tuple, or NULL */
    PyObject *out;             /* as the caller gives it: borrowed */
    opmill_prepared *prepared; /* of each packed input */
    size_t bytes;              /* of all inputs and outputs */
    step stopped;              /* why an allocation ended the call; otherwise DONE */
    scratch workspace;
    char *strings;           /* the block of strings that the call has created; or NULL */
    void *tensors;           /* the same of the tensors of a sequence */
    bool lacks_memory;       /* whether there was none for them */
    PyThreadState *released; /* while the GIL is released; otherwise NULL */
    arena *arena;            /* own_arena, or that of what outlasts the call */
    arena own_arena;
    opmill_context context;
} native_call;

/* A new reference to a tuple of the items of a list or tuple. */
static step hold_items(PyObject *given, PyObject **items) {
    if (PyTuple_CheckExact(given)) {
        Py_INCREF(given);
        *items = given;
        return DONE;
    }
    if (!PyList_CheckExact(given)) {
        return FALLBACK;
    }
    *items = PyList_AsTuple(given);
    return *items != NULL ? DONE : RAISED;
}

/* Inputs */

static opmill_tensor *new_tensor(native_call *call, int32_t type, int rank, const npy_intp *dims,
                                 void *data) {
    opmill_tensor *tensor = arena_take(call->arena, 1, sizeof *tensor);
    int64_t *copy = tensor ? arena_take(call->arena, (size_t)rank, sizeof *copy) : NULL;
    if (copy == NULL) {
        return NULL;
    }
    for (int i = 0; i < rank; i++) {
        copy[i] = dims[i];
    }
    *tensor = (opmill_tensor){data, copy, rank, type};
    return tensor;
}

/* A list or tuple of Python integers. No Python code runs while it is read. */
static step read_ints(native_call *call, PyObject *given, opmill_ints *list) {
    const bool is_list = PyList_CheckExact(given);
    if (!is_list && !PyTuple_CheckExact(given)) {
        return FALLBACK;
    }
    const Py_ssize_t count = is_list ? PyList_Size(given) : PyTuple_Size(given);
    int64_t *values = arena_take(call->arena, (size_t)count, sizeof *values);
    if (values == NULL) {
        return RAISED;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = is_list ? PyList_GetItem(given, i) : PyTuple_GetItem(given, i);
        int overflow = 0;
        if (!PyLong_CheckExact(item)) {
            return FALLBACK;
        }
        values[i] = PyLong_AsLongLongAndOverflow(item, &overflow);
        if (overflow != 0) {
            return FALLBACK;
        }
    }
    *list = (opmill_ints){values, count};
    return DONE;
}

/* Bytes of an array that is copied before the call is checked. The fallback checks first, and then
 * calls again: a view of a few bytes may have any size. */
#define MAX_UNCHECKED_COPY (1 << 20)

static step hold_strings(native_call *call, PyArrayObject *given, PyObject **stored,
                         const opmill_tensor **tensor) {
    const char **texts;
    if (!has_strings(given) || (call->exact && !PyArray_ISCARRAY_RO(given) &&
                                PyArray_NBYTES(given) > MAX_UNCHECKED_COPY)) {
        return FALLBACK;
    }
    const step read = read_text_array(call->arena, given, stored, &texts);
    if (read != DONE) {
        return read;
    }
    *tensor = new_tensor(call, OPMILL_STRING, PyArray_NDIM(given), PyArray_DIMS(given), texts);
    call->bytes += (size_t)PyArray_SIZE(given) * sizeof *texts;
    return *tensor != NULL ? DONE : RAISED;
}

/* An array's tensor and a reference to what holds its elements, which is a copy where need be. */
static step hold_array(native_call *call, PyArrayObject *given, PyObject **stored,
                       const opmill_tensor **tensor) {
    const int32_t type = code_of(given);
    if (type == OPMILL_UNDEFINED) {
        return call->takes_strings ? hold_strings(call, given, stored, tensor) : FALLBACK;
    }
    if (PyArray_ISCARRAY_RO(given)) {
        Py_INCREF((PyObject *)given);
    } else if (call->shares_inputs || (call->exact && PyArray_NBYTES(given) > MAX_UNCHECKED_COPY)) {
        return FALLBACK;
    } else {
        given = (PyArrayObject *)PyArray_CheckFromAny(
            (PyObject *)given, NULL, 0, 0,
            NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED, NULL);
        if (given == NULL) {
            return RAISED;
        }
    }
    *stored = (PyObject *)given;
    *tensor = new_tensor(call, type, PyArray_NDIM(given), PyArray_DIMS(given), PyArray_DATA(given));
    call->bytes += (size_t)PyArray_NBYTES(given);
    return *tensor != NULL ? DONE : RAISED;
}

static step read_array(native_call *call, int32_t position, PyArrayObject *given) {
    return hold_array(call, given, &call->arrays[position], &call->inputs[position]);
}

/* The array, and its block where that is for the instruction set of the call. */
static step read_packed(native_call *call, int32_t position, const Packed *given) {
    if (given->isa == used_isa(&call->context)) {
        if (call->prepared == NULL) {
            call->prepared =
                arena_take(call->arena, (size_t)call->input_count, sizeof *call->prepared);
            if (call->prepared == NULL) {
                return RAISED;
            }
            call->context.prepared = call->prepared;
        }
        call->prepared[call->context.prepared_count++] =
            (opmill_prepared){position, given->block, given->bytes};
    }
    return read_array(call, position, (PyArrayObject *)given->array);
}

static step read_sequence(native_call *call, int32_t position, PyObject *given);
static step read_nothing(native_call *call, int32_t position);
static step wrap_contents(native_call *call, int32_t position);
static step read_type(const native_call *call, PyObject *given, int32_t *type);

/* True if a parameter may be a sequence, an optional or an optional with a sequence, and others. */
static bool may_be(const opmill_parameter *parameter, int32_t form) {
    bool found = false;
    for (int32_t i = parameter->type_count; i > 0 && !found; i--) {
        found = (parameter->types[i - 1] & form) != 0;
    }
    return found;
}

/* The parameter of a listed input; NULL for the values of a variadic one. */
static const opmill_parameter *listed_input(const native_call *call, int32_t position) {
    const opmill_operator *operator = call->operator;
    return position < operator->input_count && operator->inputs[position].option != OPMILL_VARIADIC
               ? &operator->inputs[position]
               : NULL;
}

static step read_input(native_call *call, int32_t position, PyObject *given) {
    const opmill_parameter *const listed = listed_input(call, position);
    if (given == Py_None) {
        if (listed == NULL || listed->option != OPMILL_SINGLE || call->is_partial) {
            return DONE;
        }
        return may_be(listed, OPMILL_OPTIONAL_TYPE) ? read_nothing(call, position) : FALLBACK;
    }
    if (is_packed(given)) {
        return read_packed(call, position, (const Packed *)given);
    }
    if (listed != NULL && listed->types[0] >= OPMILL_OPTIONAL_TYPE) {
        const step read = PyArray_CheckExact(given)
                              ? read_array(call, position, (PyArrayObject *)given)
                              : read_sequence(call, position, given);
        return read == DONE ? wrap_contents(call, position) : read;
    }
    if (listed != NULL && (listed->types[0] >= OPMILL_SEQUENCE ||
                           (may_be(listed, OPMILL_SEQUENCE) && !PyArray_Check(given)))) {
        return read_sequence(call, position, given);
    }
    if (call->exact ? PyArray_CheckExact(given) : PyArray_Check(given)) {
        return read_array(call, position, (PyArrayObject *)given);
    }
    if (listed == NULL || listed->type_count != 1 || listed->types[0] != OPMILL_INT64) {
        return FALLBACK;
    }
    opmill_ints list;
    const step read = read_ints(call, given, &list);
    if (read == DONE) {
        const npy_intp count = (npy_intp)list.count;
        call->inputs[position] = new_tensor(call, OPMILL_INT64, 1, &count, (void *)list.values);
        return call->inputs[position] != NULL ? DONE : RAISED;
    }
    return read;
}

static step read_inputs(native_call *call) {
    const Py_ssize_t count = PyTuple_Size(call->given_inputs);
    if (count > INT32_MAX / 2) {
        return FALLBACK;
    }
    const size_t slots = (size_t)count + (size_t)call->output_count;
    call->inputs = arena_take(call->arena, (size_t)count, sizeof *call->inputs);
    call->arrays = call->inputs ? arena_take(call->arena, slots, sizeof *call->arrays) : NULL;
    if (call->arrays == NULL) {
        return RAISED;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        call->inputs[i] = NULL;
    }
    memset(call->arrays, 0, slots * sizeof *call->arrays);
    call->input_count = (int32_t)count;
    step read = DONE;
    for (int32_t i = 0; i < call->input_count && read == DONE; i++) {
        read = read_input(call, i, PyTuple_GetItem(call->given_inputs, i));
    }
    return read;
}

/* Attributes */

static step read_string(native_call *call, PyObject *given, const char **text) {
    Py_ssize_t bytes;
    if (!PyUnicode_CheckExact(given)) {
        return FALLBACK;
    }
    const char *theirs = PyUnicode_AsUTF8AndSize(given, &bytes);
    if (theirs == NULL) { /* a lone surrogate */
        PyErr_Clear();
        return FALLBACK;
    }
    if (strlen(theirs) != (size_t)bytes) {
        return FALLBACK;
    }
    char *copy = arena_take(call->arena, (size_t)bytes + 1, 1);
    if (copy == NULL) {
        return RAISED;
    }
    memcpy(copy, theirs, (size_t)bytes + 1);
    *text = copy;
    return DONE;
}

static step read_number(PyObject *given, bool optional, void *member) {
    int overflow = 0;
    if (!PyLong_CheckExact(given)) {
        return FALLBACK;
    }
    const opmill_int number = {PyLong_AsLongLongAndOverflow(given, &overflow), 1};
    memcpy(member, &number, optional ? sizeof number : sizeof number.value);
    return overflow == 0 ? DONE : FALLBACK;
}

static step read_float(PyObject *given, bool optional, void *member) {
    if (!PyFloat_CheckExact(given)) {
        return FALLBACK;
    }
    const opmill_float number = {(float)PyFloat_AsDouble(given), 1};
    memcpy(member, &number, optional ? sizeof number : sizeof number.value);
    return DONE;
}

/* Lists and tuples of floats and of texts. */
static PyObject *item_of(PyObject *given, Py_ssize_t i) {
    return PyList_CheckExact(given) ? PyList_GetItem(given, i) : PyTuple_GetItem(given, i);
}

static step count_of_list(PyObject *given, Py_ssize_t *count) {
    const bool is_list = PyList_CheckExact(given);
    if (!is_list && !PyTuple_CheckExact(given)) {
        return FALLBACK;
    }
    *count = is_list ? PyList_Size(given) : PyTuple_Size(given);
    return DONE;
}

static step read_floats(native_call *call, PyObject *given, opmill_floats *list) {
    Py_ssize_t count;
    if (count_of_list(given, &count) != DONE) {
        return FALLBACK;
    }
    float *values = arena_take(call->arena, (size_t)count, sizeof *values);
    if (values == NULL) {
        return RAISED;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        const step read = read_float(item_of(given, i), false, &values[i]);
        if (read != DONE) {
            return read;
        }
    }
    *list = (opmill_floats){values, count};
    return DONE;
}

static step read_strings(native_call *call, PyObject *given, opmill_strings *list) {
    Py_ssize_t count;
    if (count_of_list(given, &count) != DONE) {
        return FALLBACK;
    }
    const char **values = arena_take(call->arena, (size_t)count, sizeof *values);
    if (values == NULL) {
        return RAISED;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        const step read = read_string(call, item_of(given, i), &values[i]);
        if (read != DONE) {
            return read;
        }
    }
    *list = (opmill_strings){values, count};
    return DONE;
}

/* An array that C can read as it is: nothing may run while the dict is read, not even a copy. */
static step read_tensor(native_call *call, PyObject *given, const opmill_tensor **member) {
    if (!(call->exact ? PyArray_CheckExact(given) : PyArray_Check(given)) ||
        !PyArray_ISCARRAY_RO((PyArrayObject *)given)) {
        return FALLBACK;
    }
    return hold_array(call, (PyArrayObject *)given,
                      &call->attribute_arrays[call->attribute_array_count++], member);
}

/* Reads the members of a SparseTensor: no Python code runs, as they are slots. */
static step read_sparse(native_call *call, PyObject *given, const opmill_sparse_tensor **member) {
    static const char *const NAMES[] = {"values", "indices", "dims"};
    PyObject *parts[3] = {NULL, NULL, NULL};
    opmill_sparse_tensor *sparse = arena_take(call->arena, 1, sizeof *sparse);
    step read = sparse != NULL ? DONE : RAISED;
    opmill_ints dims = {NULL, 0};
    if (read == DONE && (PyObject *)Py_TYPE(given) != sparse_class) {
        read = FALLBACK;
    }
    for (int i = 0; i < 3 && read == DONE; i++) {
        parts[i] = PyObject_GetAttrString(given, NAMES[i]);
        read = parts[i] != NULL ? DONE : RAISED;
    }
    if (read == DONE) {
        read = read_tensor(call, parts[0], &sparse->values);
    }
    if (read == DONE) {
        read = read_tensor(call, parts[1], &sparse->indices);
    }
    if (read == DONE) {
        read = read_ints(call, parts[2], &dims);
    }
    if (read == DONE && dims.count > OPMILL_MAX_RANK) {
        read = FALLBACK;
    }
    if (read == DONE) {
        sparse->dims = dims.values;
        sparse->rank = (int32_t)dims.count;
        *member = sparse;
    }
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(parts[i]);
    }
    return read;
}

static step read_attribute(native_call *call, const opmill_attribute *attribute, PyObject *given) {
    void *member = (char *)call->attributes + attribute->offset;
    switch (attribute->kind) {
    case OPMILL_KIND_INT:
        return read_number(given, attribute->optional != 0, member);
    case OPMILL_KIND_FLOAT:
        return read_float(given, attribute->optional != 0, member);
    case OPMILL_KIND_STRING:
        return read_string(call, given, member);
    case OPMILL_KIND_INTS:
        return read_ints(call, given, member);
    case OPMILL_KIND_FLOATS:
        return read_floats(call, given, member);
    case OPMILL_KIND_STRINGS:
        return read_strings(call, given, member);
    case OPMILL_KIND_TENSOR:
        return read_tensor(call, given, member);
    case OPMILL_KIND_SPARSE_TENSOR:
        return read_sparse(call, given, member);
    case OPMILL_KIND_TYPE_PROTO:
        return read_type(call, given, member);
    default:
        return FALLBACK;
    }
}

/* Index of the attribute with this name; -1 if there is none. */
static int32_t find_attribute(const native_call *call, PyObject *name, int32_t expected) {
    const int32_t count = call->operator->attribute_count;
    if (expected < count && PyTuple_GetItem(call->attribute_names, expected) == name) {
        return expected;
    }
    if (PyUnicode_Check(name)) {
        for (int32_t i = 0; i < count; i++) {
            if (PyUnicode_Compare(PyTuple_GetItem(call->attribute_names, i), name) == 0) {
                return i;
            }
        }
    }
    return -1;
}

/* Copies all values. No Python code runs while the dict is read. */
static step read_attributes(native_call *call, PyObject *given) {
    const opmill_operator *operator = call->operator;
    if (!PyDict_CheckExact(given)) {
        return FALLBACK;
    }
    call->attributes = NULL;
    if (operator->attribute_count == 0) {
        return PyDict_Size(given) == 0 ? DONE : FALLBACK;
    }
    call->attributes = arena_take(call->arena, 1, operator->attributes_size);
    bool *seen = arena_take(call->arena, (size_t)operator->attribute_count, sizeof *seen);
    call->attribute_arrays = arena_take(call->arena, 2 * (size_t)operator->attribute_count,
                                        sizeof *call->attribute_arrays);
    if (call->attributes == NULL || seen == NULL || call->attribute_arrays == NULL) {
        return RAISED;
    }
    memset(call->attribute_arrays, 0,
           2 * (size_t)operator->attribute_count * sizeof *call->attribute_arrays);
    memcpy(call->attributes, operator->defaults, operator->attributes_size);
    memset(seen, 0, (size_t)operator->attribute_count * sizeof *seen);
    PyObject *name, *value;
    Py_ssize_t at = 0;
    for (int32_t nth = 0; PyDict_Next(given, &at, &name, &value); nth++) {
        const int32_t found = find_attribute(call, name, nth);
        if (found < 0) {
            return FALLBACK;
        }
        if (value != Py_None) {
            const step read = read_attribute(call, &operator->attributes[found], value);
            if (read != DONE) {
                return read;
            }
            seen[found] = true;
        }
    }
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        if (operator->attributes[i].required != 0 && !seen[i]) {
            return FALLBACK;
        }
    }
    return DONE;
}

/* Reads all that a call gives and others can change: a later step may release the GIL or run Python
 * code while NumPy copies, and lists and dicts may lose their items then. `out` may be NULL. */
static step take_arguments(native_call *call, PyObject *inputs, PyObject *attributes,
                           PyObject *out) {
    step taken = hold_items(inputs, &call->given_inputs);
    if (taken == DONE && out != NULL && hold_items(out, &call->given_outputs) == RAISED) {
        taken = RAISED;
    }
    return taken == DONE ? read_attributes(call, attributes) : taken;
}

#endif
