/* NumPy's types and ONNX's: their numbers, each way. setup() learns the dtypes from Python. */
#ifndef OPMILL_NATIVE_TYPES_H
#define OPMILL_NATIVE_TYPES_H

#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <stdint.h>

#include <opmill/types.h>

enum { BUILTIN_TYPES = 24, TYPE_CODES = 32 };

static PyArray_Descr *dtype_of[TYPE_CODES];    /* by ONNX's number */
static int32_t code_of_builtin[BUILTIN_TYPES]; /* by NumPy's number, 0 for none */
static int other_types;                        /* those of ml_dtypes, numbered when it is loaded */
static struct {
    int number;
    int32_t code;
} code_of_other[TYPE_CODES];

/* ONNX's number of an array's type, whatever its byte order; OPMILL_UNDEFINED for none. */
static int32_t code_of(PyArrayObject *array) {
    const int number = PyArray_TYPE(array);
    if (number >= 0 && number < BUILTIN_TYPES) {
        return code_of_builtin[number];
    }
    for (int i = 0; i < other_types; i++) {
        if (code_of_other[i].number == number) {
            return code_of_other[i].code;
        }
    }
    return OPMILL_UNDEFINED;
}

static int learn_type(int32_t code, PyObject *given) {
    PyArray_Descr *dtype;
    if (!PyArray_DescrConverter(given, &dtype)) {
        return -1;
    }
    dtype_of[code] = dtype;
    if (dtype->type_num >= BUILTIN_TYPES) {
        code_of_other[other_types].number = dtype->type_num;
        code_of_other[other_types++].code = code;
        return 0;
    }
    /* One type may have several numbers: int64 is long and long long. */
    for (int number = 0; number < BUILTIN_TYPES; number++) {
        if (PyArray_EquivTypenums(number, dtype->type_num)) {
            code_of_builtin[number] = code;
        }
    }
    return 0;
}

#endif
