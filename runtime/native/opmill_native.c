/* opmill._native: the C library under the Python package.
 *
 * Written once over the table opmill_operators: nothing here knows an operator. A Kernel takes a
 * call as the generated functions make it. Arrays of numbers, lists of integers and attributes of
 * plain Python types it takes itself; the C library then checks the call, and refuses it in the
 * words of the Python runtime. Whatever else a call holds (scalars, subclasses, strings, buffers
 * that overlap, another backend) goes to the Python runtime, its `fallback`, which brings it into
 * the plain form or refuses it, and comes back through Kernel.run. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>

#include <opmill/isa.h>
#include <opmill/operators.h>

#include "digest.h"
#include "call.h"
#include "kernel.h"
#include "segment_plan.h"
#include "segment_repeat.h"

static PyObject *call_fallback(const Kernel *self, PyObject *inputs, PyObject *attributes,
                               PyObject *out, PyObject *outputs) {
    return PyObject_CallFunctionObjArgs(self->fallback, inputs, attributes, out, outputs, NULL);
}

/* Whether the Python runtime computes a call: one that C does not take, or one without memory for
 * its outputs, since the runtime reports their shapes. */
static bool is_left_to_python(step done) {
    if (done == RAISED && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        return true;
    }
    return done == FALLBACK;
}

static PyObject *Kernel_result(Kernel *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 3 || self->operator->output_count != 1) {
        return wrong_arguments("(inputs, attributes, out) of an operator with one output");
    }
    native_call call;
    PyObject *result = NULL;
    begin(&call, self->operator, self->attribute_names, true, 1);
    step done = read_choice(&call.context);
    if (done == DONE) {
        done = asked_outputs(self->operator, Py_None) == 1
                   ? perform(&call, args[0], args[1], args[2])
                   : FALLBACK;
    }
    if (done == DONE) {
        result = output_at(&call, 0);
    }
    end(&call);
    if (is_left_to_python(done)) {
        PyObject *all = call_fallback(self, args[0], args[1], args[2], Py_None);
        result = all != NULL ? PySequence_GetItem(all, 0) : NULL;
        Py_XDECREF(all);
    }
    return result;
}

/* As Kernel_result, with limits for the elements of the output. None where that takes the Python
 * runtime, which has none. */
static PyObject *Kernel_limited(Kernel *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 4 || self->operator->output_count != 1) {
        return wrong_arguments("(inputs, attributes, low, high) of an operator with one output");
    }
    const double low = PyFloat_AsDouble(args[2]);
    const double high = PyErr_Occurred() ? 0 : PyFloat_AsDouble(args[3]);
    if (PyErr_Occurred()) {
        return NULL;
    }
    const opmill_limits limits = {(float)low, (float)high};
    native_call call;
    PyObject *result = NULL;
    begin(&call, self->operator, self->attribute_names, true, 1);
    call.context.limits = &limits;
    step done = read_choice(&call.context);
    if (done == DONE) {
        done = perform(&call, args[0], args[1], Py_None);
    }
    if (done == DONE) {
        result = output_at(&call, 0);
    }
    end(&call);
    if (done == FALLBACK) {
        Py_RETURN_NONE;
    }
    return result;
}

static PyObject *Kernel_results(Kernel *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 4) {
        return wrong_arguments("(inputs, attributes, out, outputs)");
    }
    const int32_t asked = asked_outputs(self->operator, args[3]);
    native_call call;
    PyObject *result = NULL;
    begin(&call, self->operator, self->attribute_names, true, asked < 0 ? 0 : asked);
    step done = read_choice(&call.context);
    if (done == DONE) {
        done = asked >= 0 ? perform(&call, args[0], args[1], args[2]) : FALLBACK;
    }
    if (done == DONE) {
        result = all_outputs(&call);
    }
    end(&call);
    return is_left_to_python(done) ? call_fallback(self, args[0], args[1], args[2], args[3])
                                   : result;
}

static PyObject *Kernel_run(Kernel *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 3 || !PyList_CheckExact(args[2]) || PyList_Size(args[2]) > INT32_MAX / 2) {
        return wrong_arguments("(inputs, attributes, list of outputs)");
    }
    if (has_sequences(self->operator)) { /* `out` lists arrays alone */
        Py_RETURN_FALSE;
    }
    native_call call;
    begin(&call, self->operator, self->attribute_names, false, (int32_t)PyList_Size(args[2]));
    step done = read_choice(&call.context); /* the caller has checked that the backend is C */
    if (done != RAISED) {
        done = perform(&call, args[0], args[1], args[2]);
    }
    end(&call);
    return done == RAISED ? NULL : PyBool_FromLong(done == DONE);
}

static PyObject *Kernel_explain(Kernel *self, PyObject *const *args, Py_ssize_t count) {
    const long wanted = count == 3 ? PyLong_AsLong(args[2]) : -1;
    if (wanted < 0 || wanted > INT32_MAX / 2) {
        PyErr_Clear();
        return wrong_arguments("(inputs, attributes, number of outputs)");
    }
    native_call call;
    opmill_choice choice;
    begin(&call, self->operator, self->attribute_names, false, (int32_t)wanted);
    step done = read_choice(&call.context);
    if (done != RAISED) {
        done = explain(&call, args[0], args[1], &choice);
    }
    end(&call);
    if (done == FALLBACK) {
        Py_RETURN_NONE;
    }
    return done == RAISED ? NULL
                          : Py_BuildValue("(zzi)", choice.variant, opmill_isa_name(choice.isa),
                                          (int)choice.threads);
}

static PyObject *Kernel_workspace(Kernel *self, PyObject *const *args, Py_ssize_t count) {
    const long wanted = count == 3 ? PyLong_AsLong(args[2]) : -1;
    if (wanted < 0 || wanted > INT32_MAX / 2) {
        PyErr_Clear();
        return wrong_arguments("(inputs, attributes, number of outputs)");
    }
    native_call call;
    size_t bytes = 0;
    begin(&call, self->operator, self->attribute_names, false, (int32_t)wanted);
    step done = read_choice(&call.context);
    if (done != RAISED) {
        done = find_workspace(&call, args[0], args[1], &bytes);
    }
    end(&call);
    if (done == FALLBACK) {
        Py_RETURN_NONE;
    }
    return done == RAISED ? NULL : PyLong_FromSize_t(bytes);
}

static PyObject *Kernel_prepare(Kernel *self, PyObject *const *args, Py_ssize_t count) {
    const long position = count == 3 ? PyLong_AsLong(args[2]) : -1;
    if (position < 0 || position >= self->operator->input_count) {
        PyErr_Clear();
        return wrong_arguments("(inputs, attributes, position of an input)");
    }
    native_call call;
    Packed *packed = NULL;
    begin(&call, self->operator, self->attribute_names, false, 0);
    step done = read_choice(&call.context); /* the caller has checked that the backend is C */
    if (done != RAISED) {
        done = prepare(&call, args[0], args[1], (int32_t)position, &packed);
    }
    end(&call);
    if (done == DONE && packed != NULL) {
        return (PyObject *)packed;
    }
    Py_XDECREF((PyObject *)packed);
    if (done == RAISED) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static int Kernel_traverse(Kernel *self, visitproc visit, void *arg) {
    Py_VISIT((PyObject *)Py_TYPE((PyObject *)self));
    Py_VISIT(self->fallback);
    return 0;
}

static int Kernel_clear(Kernel *self) {
    Py_CLEAR(self->fallback);
    return 0;
}

static void Kernel_dealloc(Kernel *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    (void)Kernel_clear(self);
    Py_XDECREF(self->attribute_names);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

static PyObject *Kernel_repr(Kernel *self) {
    return PyUnicode_FromFormat("<Kernel %s of %s>", self->operator->label, self->operator->domain);
}

static PyMethodDef kernel_methods[] = {
    {"result", (PyCFunction)(void (*)(void))Kernel_result, METH_FASTCALL, NULL},
    {"limited", (PyCFunction)(void (*)(void))Kernel_limited, METH_FASTCALL, NULL},
    {"results", (PyCFunction)(void (*)(void))Kernel_results, METH_FASTCALL, NULL},
    {"explain", (PyCFunction)(void (*)(void))Kernel_explain, METH_FASTCALL, NULL},
    {"workspace", (PyCFunction)(void (*)(void))Kernel_workspace, METH_FASTCALL, NULL},
    {"prepare", (PyCFunction)(void (*)(void))Kernel_prepare, METH_FASTCALL, NULL},
    {"run", (PyCFunction)(void (*)(void))Kernel_run, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc, "One operator version of the C library."},
    {Py_tp_methods, kernel_methods},
    {Py_tp_traverse, Kernel_traverse},
    {Py_tp_clear, Kernel_clear},
    {Py_tp_dealloc, Kernel_dealloc},
    {Py_tp_repr, Kernel_repr},
    {0, NULL},
};

static PyType_Spec kernel_spec = {
    .name = "opmill._native.Kernel",
    .basicsize = sizeof(Kernel),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_IMMUTABLETYPE,
    .slots = kernel_slots,
};

/* The module */

static PyObject *setup(PyObject *module, PyObject *args) {
    PyObject *chosen, *errors, *dtypes, *sparse, *sequence;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!O!OO", &chosen, &PyTuple_Type, &errors, &PyDict_Type, &dtypes,
                          &sparse, &sequence)) {
        return NULL;
    }
    if (chosen_backend != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "setup has been called already");
        return NULL;
    }
    if (PyTuple_Size(errors) != ERROR_CODES) {
        return PyErr_Format(PyExc_ValueError, "expected %d classes of errors", ERROR_CODES);
    }
    for (int i = 0; i < ERROR_CODES; i++) {
        PyObject *class = PyTuple_GetItem(errors, i);
        Py_INCREF(class);
        error_classes[i] = class;
    }
    Py_INCREF(sparse);
    sparse_class = sparse;
    Py_INCREF(sequence);
    sequence_class = sequence;
    Py_INCREF(chosen);
    chosen_backend = chosen;
    PyObject *number, *dtype;
    Py_ssize_t at = 0;
    while (PyDict_Next(dtypes, &at, &number, &dtype)) {
        const long code = PyLong_AsLong(number);
        if (code <= 0 || code >= TYPE_CODES) {
            return PyErr_Format(PyExc_ValueError, "no number of TensorProto.DataType: %ld", code);
        }
        if (learn_type((int32_t)code, dtype) < 0) {
            return NULL;
        }
    }
    Py_RETURN_NONE;
}

static PyObject *find(PyObject *module, PyObject *args) {
    const char *domain, *name;
    int version;
    PyObject *fallback;
    (void)module;
    if (!PyArg_ParseTuple(args, "ssiO", &domain, &name, &version, &fallback)) {
        return NULL;
    }
    const opmill_operator *operator = opmill_find_operator(domain, name, version);
    if (operator == NULL) {
        Py_RETURN_NONE;
    }
    PyObject *names = PyTuple_New(operator->attribute_count);
    for (int32_t i = 0; names != NULL && i < operator->attribute_count; i++) {
        PyObject *one = PyUnicode_InternFromString(operator->attributes[i].name);
        if (one == NULL) {
            Py_CLEAR(names);
        } else {
            PyTuple_SetItem(names, i, one);
        }
    }
    Kernel *kernel = names ? PyObject_GC_New(Kernel, (PyTypeObject *)kernel_type) : NULL;
    if (kernel == NULL) {
        Py_XDECREF(names);
        return NULL;
    }
    Py_INCREF(fallback);
    kernel->operator = operator;
    kernel->fallback = fallback;
    kernel->attribute_names = names;
    PyObject_GC_Track(kernel);
    return (PyObject *)kernel;
}

static PyObject *set_threads(PyObject *module, PyObject *given) {
    (void)module;
    const long count = PyLong_AsLong(given);
    if (count == -1 && PyErr_Occurred()) {
        return NULL;
    }
    thread_count = count < 1 ? 1 : count > 1024 ? 1024 : (int32_t)count;
    Py_RETURN_NONE;
}

/* The numbers of the instruction sets that are there, by name, the best first. */
static PyObject *instruction_sets(PyObject *module, PyObject *unused) {
    const int32_t best = opmill_isa_best();
    PyObject *numbers = PyDict_New();
    (void)module;
    (void)unused;
    for (int32_t isa = best; numbers != NULL && isa > OPMILL_ISA_AUTO; isa--) {
        if (!opmill_isa_available(isa)) {
            continue;
        }
        PyObject *number = PyLong_FromLong(isa);
        if (number == NULL || PyDict_SetItemString(numbers, opmill_isa_name(isa), number) < 0) {
            Py_CLEAR(numbers);
        }
        Py_XDECREF(number);
    }
    return numbers;
}

static PyObject *set_instruction_set(PyObject *module, PyObject *given) {
    (void)module;
    const long number = PyLong_AsLong(given);
    if (number == -1 && PyErr_Occurred()) {
        return NULL;
    }
    default_isa = (int32_t)number;
    Py_RETURN_NONE;
}

static PyObject *free_workspace(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    scratch *retained = scratch_of_thread(0);
    const size_t bytes = retained != NULL ? retained->size : 0;
    if (retained != NULL) {
        scratch_empty(retained);
    }
    return PyLong_FromSize_t(bytes);
}

static PyMethodDef module_methods[] = {
    {"setup", setup, METH_VARARGS, NULL},
    {"find", find, METH_VARARGS, NULL},
    {"set_threads", set_threads, METH_O, NULL},
    {"instruction_sets", instruction_sets, METH_NOARGS, NULL},
    {"set_instruction_set", set_instruction_set, METH_O, NULL},
    {"free_workspace", free_workspace, METH_NOARGS, NULL},
    {"plan_segment", plan_segment, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* One set of statics for the process: sub-interpreters cannot have it, nor can they have NumPy. */
static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    "opmill._native",
    "The C library's kernels.",
    -1,
    module_methods,
    NULL,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__native(void) {
    import_array();
    scratch_key = PyUnicode_InternFromString(SCRATCH_NAME);
    kernel_type = scratch_key ? PyType_FromSpec(&kernel_spec) : NULL;
    packed_type = kernel_type ? PyType_FromSpec(&packed_spec) : NULL;
    arranged_type = packed_type ? PyType_FromSpec(&arranged_spec) : NULL;
    segment_type = arranged_type ? PyType_FromSpec(&segment_spec) : NULL;
    PyObject *module = segment_type ? PyModule_Create(&module_def) : NULL;
    if (module != NULL &&
        (PyModule_AddObjectRef(module, "Kernel", kernel_type) < 0 ||
         PyModule_AddObjectRef(module, "Packed", packed_type) < 0 ||
         PyModule_AddObjectRef(module, "Arranged", arranged_type) < 0 ||
         PyModule_AddObjectRef(module, "Segment", segment_type) < 0 ||
         PyModule_AddStringConstant(module, "sources_sha256", OPMILL_SOURCES_SHA256) < 0)) {
        Py_CLEAR(module);
    }
    return module;
}
