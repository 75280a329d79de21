/* An input that has been packed once: the array, and the block that the C library packed it into.
 * Calls take it in the array's place. */
#ifndef OPMILL_NATIVE_PREPARED_H
#define OPMILL_NATIVE_PREPARED_H

#include <Python.h>

#include <stdint.h>
#include <stdlib.h>

#include <opmill/isa.h>
#include <opmill/operator.h>

typedef struct Packed {
    PyObject_HEAD PyObject *array; /* contiguous, in native byte order */
    int32_t input, isa;
    void *memory; /* as malloc gave it */
    const void *block;
    size_t bytes;
} Packed;

static PyObject *packed_type;

static bool is_packed(PyObject *given) { return (PyObject *)Py_TYPE(given) == packed_type; }

/* The instruction set of a context's number. */
static int32_t used_isa(const opmill_context *context) {
    return context->isa == OPMILL_ISA_AUTO ? opmill_isa_best() : context->isa;
}

/* One without its block, which packed_block makes. */
static Packed *packed_new(PyObject *array, int32_t input, const opmill_context *context) {
    Packed *packed = PyObject_New(Packed, (PyTypeObject *)packed_type);
    if (packed != NULL) {
        Py_INCREF(array);
        packed->array = array;
        packed->input = input;
        packed->isa = used_isa(context);
        packed->memory = NULL;
        packed->block = NULL;
        packed->bytes = 0;
    }
    return packed;
}

/* The memory of the block; NULL with MemoryError set. */
static void *packed_block(Packed *packed, size_t bytes) {
    if (bytes > PY_SSIZE_T_MAX - OPMILL_BLOCK_ALIGNMENT ||
        (packed->memory = malloc(bytes + OPMILL_BLOCK_ALIGNMENT)) == NULL) {
        return PyErr_NoMemory();
    }
    const uintptr_t start = (uintptr_t)packed->memory + OPMILL_BLOCK_ALIGNMENT - 1;
    packed->block = (void *)(start - start % OPMILL_BLOCK_ALIGNMENT);
    packed->bytes = bytes;
    return (void *)packed->block;
}

static void Packed_dealloc(Packed *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    Py_XDECREF(self->array);
    free(self->memory);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

static PyObject *Packed_array(PyObject *self, void *unused) {
    (void)unused;
    PyObject *array = ((Packed *)self)->array;
    Py_INCREF(array);
    return array;
}

static PyObject *Packed_shape(PyObject *self, void *unused) {
    (void)unused;
    return PyObject_GetAttrString(((Packed *)self)->array, "shape");
}

/* Of the block alone. */
static PyObject *Packed_nbytes(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(((Packed *)self)->bytes);
}

/* A copy of the block. */
static PyObject *Packed_block(PyObject *self, void *unused) {
    (void)unused;
    const Packed *packed = (Packed *)self;
    return PyBytes_FromStringAndSize(packed->block, (Py_ssize_t)packed->bytes);
}

static PyGetSetDef packed_members[] = {
    {"array", Packed_array, NULL, "The array.", NULL},
    {"shape", Packed_shape, NULL, "The shape of the array.", NULL},
    {"block", Packed_block, NULL, "The packed form.", NULL},
    {"nbytes", Packed_nbytes, NULL, "The bytes of the packed form.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot packed_slots[] = {
    {Py_tp_doc, "An input that has been packed for one operator version and instruction set."},
    {Py_tp_getset, packed_members},
    {Py_tp_dealloc, Packed_dealloc},
    {0, NULL},
};

static PyType_Spec packed_spec = {
    .name = "opmill._native.Packed",
    .basicsize = sizeof(Packed),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = packed_slots,
};

#endif
