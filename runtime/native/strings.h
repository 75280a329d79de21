/* Strings of NumPy's arrays as the C library has them, and the other way round. What C cannot hold,
 * as a NUL within a string or half of a surrogate pair, is FALLBACK. */
#ifndef OPMILL_NATIVE_STRINGS_H
#define OPMILL_NATIVE_STRINGS_H

#include <Python.h>

#include <stdbool.h>
#include <string.h>

#include "call_memory.h"
#include "step.h"
#include "types.h"

static bool has_strings(PyArrayObject *array) {
    return PyArray_TYPE(array) == NPY_OBJECT || PyArray_TYPE(array) == NPY_UNICODE;
}

/* Points to the UTF-8 of each object, which lasts as long as the object. */
static step read_objects(PyArrayObject *array, const char **texts) {
    PyObject *const *const objects = PyArray_DATA(array);
    const npy_intp count = PyArray_SIZE(array);
    for (npy_intp i = 0; i < count; i++) {
        Py_ssize_t bytes;
        if (objects[i] == NULL || !PyUnicode_CheckExact(objects[i])) {
            return FALLBACK;
        }
        texts[i] = PyUnicode_AsUTF8AndSize(objects[i], &bytes);
        if (texts[i] == NULL) {
            if (PyErr_ExceptionMatches(PyExc_MemoryError)) {
                return RAISED;
            }
            PyErr_Clear();
            return FALLBACK;
        }
        if (strlen(texts[i]) != (size_t)bytes) {
            return FALLBACK;
        }
    }
    return DONE;
}

/* The length of a string of an array that pads them with zeros. */
static npy_intp padded_length(const Py_UCS4 *text, npy_intp width) {
    while (width > 0 && text[width - 1] == 0) {
        width--;
    }
    return width;
}

/* The bytes of UTF-8 of a character; 0 of what is none. */
static size_t bytes_of_character(Py_UCS4 code) {
    if (code == 0 || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) {
        return 0;
    }
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

static char *put_character(char *to, Py_UCS4 code) {
    const size_t bytes = bytes_of_character(code);
    if (bytes == 1) {
        *to = (char)code;
        return to + 1;
    }
    for (size_t i = bytes - 1; i > 0; i--, code >>= 6) {
        to[i] = (char)(0x80 | (code & 0x3F));
    }
    to[0] = (char)((0xFF00 >> bytes & 0xFF) | code);
    return to + bytes;
}

/* Encodes strings of a fixed width. */
static step read_padded(arena *part, PyArrayObject *array, const char **texts) {
    const npy_intp count = PyArray_SIZE(array);
    const npy_intp width = PyArray_ITEMSIZE(array) / (npy_intp)sizeof(Py_UCS4);
    const Py_UCS4 *text = PyArray_DATA(array);
    size_t bytes = 0;
    for (npy_intp i = 0; i < count; i++) {
        const npy_intp length = padded_length(text + i * width, width);
        for (npy_intp k = 0; k < length; k++) {
            const size_t more = bytes_of_character(text[i * width + k]);
            if (more == 0) {
                return FALLBACK;
            }
            bytes += more;
        }
        bytes++;
    }
    char *to = arena_take(part, bytes, 1);
    if (to == NULL) {
        return RAISED;
    }
    for (npy_intp i = 0; i < count; i++, text += width) {
        const npy_intp length = padded_length(text, width);
        texts[i] = to;
        for (npy_intp k = 0; k < length; k++) {
            to = put_character(to, text[k]);
        }
        *to++ = '\0';
    }
    return DONE;
}

/* The strings of an array, and a reference to what keeps them alive, even while other threads
 * replace elements of the array. */
static step read_text_array(arena *part, PyArrayObject *given, PyObject **stored,
                            const char ***texts) {
    const bool objects = PyArray_TYPE(given) == NPY_OBJECT;
    *stored = objects
                  ? PyArray_NewCopy(given, NPY_CORDER)
                  : PyArray_CheckFromAny(
                        (PyObject *)given, NULL, 0, 0,
                        NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED, NULL);
    if (*stored == NULL) {
        return RAISED;
    }
    PyArrayObject *array = (PyArrayObject *)*stored;
    *texts = arena_take(part, (size_t)PyArray_SIZE(array), sizeof **texts);
    if (*texts == NULL) {
        return RAISED;
    }
    return objects ? read_objects(array, *texts) : read_padded(part, array, *texts);
}

/* Sets the elements of a contiguous array of objects, all or none. One string may follow itself. */
static step store_texts(arena *part, PyArrayObject *array, const char *const *texts) {
    PyObject **const objects = PyArray_DATA(array);
    const npy_intp count = PyArray_SIZE(array);
    PyObject **const created = arena_take(part, (size_t)count, sizeof *created);
    if (created == NULL) {
        return RAISED;
    }
    for (npy_intp i = 0; i < count; i++) {
        if (i > 0 && texts[i] == texts[i - 1]) {
            Py_INCREF(created[i - 1]);
            created[i] = created[i - 1];
        } else {
            created[i] = PyUnicode_DecodeUTF8(texts[i], (Py_ssize_t)strlen(texts[i]), NULL);
        }
        if (created[i] == NULL) {
            while (i > 0) {
                Py_DECREF(created[--i]);
            }
            return RAISED;
        }
    }
    for (npy_intp i = 0; i < count; i++) {
        PyObject *const before = objects[i];
        objects[i] = created[i];
        Py_XDECREF(before);
    }
    return DONE;
}

#endif
