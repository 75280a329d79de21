/* The memory of one call from Python: small parts from a arena on the stack, scratch memory for the
 * kernel from what the thread kept from its last call. Nothing here knows NumPy or the table. */
#ifndef OPMILL_NATIVE_CALL_MEMORY_H
#define OPMILL_NATIVE_CALL_MEMORY_H

#include <Python.h>

#include <stdint.h>
#include <stdlib.h>

/* Room for the parts of a usual call; what does not fit comes from the heap. */
enum { ARENA_BYTES = 4096 };

typedef struct chunk {
    struct chunk *next;
    int64_t bytes[];
} chunk;

typedef struct arena {
    size_t used;
    chunk *chunks;
    int64_t bytes[ARENA_BYTES / sizeof(int64_t)];
} arena;

static void arena_open(arena *part) {
    part->used = 0;
    part->chunks = NULL;
}

/* Memory that lasts until the arena is closed, aligned to 8; NULL with MemoryError set. */
static void *arena_take(arena *part, size_t count, size_t bytes_each) {
    if (count > PY_SSIZE_T_MAX / 2 / bytes_each) {
        PyErr_NoMemory();
        return NULL;
    }
    const size_t bytes = (count * bytes_each + 7) / 8 * 8;
    if (bytes <= ARENA_BYTES - part->used) {
        void *taken = (char *)part->bytes + part->used;
        part->used += bytes;
        return taken;
    }
    chunk *more = PyMem_Malloc(sizeof *more + bytes);
    if (more == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    more->next = part->chunks;
    part->chunks = more;
    return more->bytes;
}

static void arena_close(arena *part) {
    while (part->chunks != NULL) {
        chunk *next = part->chunks->next;
        PyMem_Free(part->chunks);
        part->chunks = next;
    }
}

/* Scratch memory of up to RETAINED_BYTES stays with its thread for the next call, since fresh pages
 * cost more than many a kernel; larger scratch memory is freed after the call. */
enum { RETAINED_BYTES = 64 * 1024 * 1024, SCRATCH_ALIGNMENT = 64 };

typedef struct scratch {
    void *memory; /* as malloc gave it */
    size_t size;
} scratch;

static const char SCRATCH_NAME[] = "opmill._native.scratch";
static PyObject *scratch_key;

static void scratch_empty(scratch *retained) {
    free(retained->memory);
    retained->memory = NULL;
    retained->size = 0;
}

static void scratch_forget(PyObject *capsule) {
    scratch *retained = PyCapsule_GetPointer(capsule, SCRATCH_NAME);
    if (retained != NULL) {
        scratch_empty(retained);
        free(retained);
    }
}

/* The calling thread's, which Python drops when the thread ends. With `make`, NULL means that an
 * exception is set; without one, that memory was not allocated yet. */
static scratch *scratch_of_thread(int make) {
    PyObject *values = PyThreadState_GetDict();
    if (values == NULL) {
        return make ? (PyErr_NoMemory(), NULL) : NULL;
    }
    PyObject *capsule = PyDict_GetItem(values, scratch_key);
    if (capsule != NULL) {
        return PyCapsule_GetPointer(capsule, SCRATCH_NAME);
    }
    if (!make) {
        return NULL;
    }
    scratch *retained = calloc(1, sizeof *retained);
    if (retained == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    capsule = PyCapsule_New(retained, SCRATCH_NAME, scratch_forget);
    if (capsule == NULL) {
        free(retained);
        return NULL;
    }
    const int failed = PyDict_SetItem(values, scratch_key, capsule);
    Py_DECREF(capsule); /* frees `kept` where the dict has not taken it */
    return failed ? NULL : retained;
}

/* Memory for the kernel, aligned to a cache line; NULL with MemoryError set. It belongs to the call
 * until it is given back: Python code that runs before may make calls of its own. */
static void *scratch_take(scratch *taken, size_t bytes) {
    scratch *retained = scratch_of_thread(1);
    if (retained == NULL) {
        return NULL;
    }
    *taken = *retained;
    *retained = (scratch){NULL, 0};
    if (taken->size < bytes) {
        scratch_empty(taken);
        if (bytes > PY_SSIZE_T_MAX - SCRATCH_ALIGNMENT ||
            (taken->memory = malloc(bytes + SCRATCH_ALIGNMENT)) == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        taken->size = bytes;
    }
    const uintptr_t start = (uintptr_t)taken->memory + SCRATCH_ALIGNMENT - 1;
    return (void *)(start - start % SCRATCH_ALIGNMENT);
}

static void scratch_give_back(scratch *taken) {
    scratch *retained = taken->memory != NULL ? scratch_of_thread(0) : NULL;
    if (retained != NULL && retained->memory == NULL && taken->size <= RETAINED_BYTES) {
        *retained = *taken;
    } else {
        scratch_empty(taken);
    }
}

#endif
