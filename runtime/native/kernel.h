/* The record of an operator version in Python, and what its calls have in common: the choice of the
 * context, and the number of outputs. */
#ifndef OPMILL_NATIVE_KERNEL_H
#define OPMILL_NATIVE_KERNEL_H

#include "read.h"

static PyObject *chosen_backend; /* a callable: the choice of the context or of the process */
static int32_t default_isa = OPMILL_ISA_AUTO;

static PyObject *kernel_type;

typedef struct Kernel {
    PyObject_HEAD const opmill_operator *operator;
    PyObject *fallback; /* (inputs, attributes, out, outputs) -> tuple of arrays */
    PyObject *attribute_names;
} Kernel;

/* Sets the instruction set that the context or the environment requests. DONE where the backend
 * that computes now is this one; FALLBACK where it is not. */
static step read_choice(opmill_context *context) {
    PyObject *chosen = PyObject_CallNoArgs(chosen_backend);
    if (chosen == NULL) {
        return RAISED;
    }
    /* [name of a backend or None, number of an instruction set or 0] */
    PyObject *backend = PyList_GetItem(chosen, 0);
    PyObject *isa = PyList_GetItem(chosen, 1);
    const long number = backend != NULL && isa != NULL ? PyLong_AsLong(isa) : -1;
    if (number < 0) {
        Py_DECREF(chosen);
        return RAISED;
    }
    context->isa = number > 0 ? (int32_t)number : default_isa;
    bool here = PyUnicode_Check(backend) && PyUnicode_CompareWithASCIIString(backend, "c") == 0;
    if (backend == Py_None) {
        const char *environment = getenv("OPMILL_BACKEND");
        here = environment == NULL || environment[0] == '\0' || strcmp(environment, "c") == 0;
    }
    Py_DECREF(chosen);
    return here ? DONE : FALLBACK;
}

/* Number of outputs that a call requests, by a number, or by None for those that are neither
 * optional nor variadic. -1 if the Python runtime must read or refuse the request, such as a number
 * so large that the rest of the call must be checked before there is memory for the shapes. A
 * variadic output needs a number. */
static int32_t asked_outputs(const opmill_operator *operator, PyObject *asked) {
    enum { MAX_OUTPUTS = 1 << 16 };
    int32_t min_count = 0, max_count = operator->output_count;
    for (int32_t i = 0; i < operator->output_count; i++) {
        if (operator->outputs[i].option == OPMILL_VARIADIC) {
            max_count = MAX_OUTPUTS;
        } else if (operator->outputs[i].option == OPMILL_SINGLE) {
            min_count = i + 1;
        }
    }
    if (asked == Py_None) {
        return max_count == operator->output_count ? min_count : -1;
    }
    int overflow = 0;
    const long count = PyLong_CheckExact(asked) ? PyLong_AsLongAndOverflow(asked, &overflow) : -1;
    return count >= min_count && count <= max_count ? (int32_t)count : -1;
}

static PyObject *wrong_arguments(const char *expected) {
    PyErr_Format(PyExc_TypeError, "expected the arguments %s", expected);
    return NULL;
}

#endif
