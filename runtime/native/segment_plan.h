/* Plans a segment: its nodes, where its values are located, and which are constants. */
#ifndef OPMILL_NATIVE_SEGMENT_PLAN_H
#define OPMILL_NATIVE_SEGMENT_PLAN_H

#include "arranged.h"
#include "segment.h"
#include "segment_memory.h"

/* State of planning, beside the segment. */
typedef struct planner {
    Segment *segment;
    native_call reading; /* of the attributes of a step */
    PyObject *values, *constants, *needed;
    int32_t *slot_of; /* by number; -1 for none */
    opmill_context context;
} planner;

static bool has_number(PyObject *set, PyObject *number) { return PySet_Contains(set, number) == 1; }

static int32_t add_slot(planner *plan, location where, int32_t index, const opmill_tensor *tensor,
                        size_t bytes) {
    Segment *segment = plan->segment;
    const int32_t added = segment->slot_count++;
    segment->slots[added] = (slot){where, index, added, -1, 0, bytes};
    segment->tensors[added] = *tensor;
    return added;
}

/* The tensor of an array, without its data. */
static bool describe(Segment *segment, PyArrayObject *array, opmill_tensor *tensor) {
    const int rank = PyArray_NDIM(array);
    int64_t *dims = arena_take(&segment->arena, (size_t)rank, sizeof *dims);
    if (dims == NULL) {
        return false;
    }
    for (int i = 0; i < rank; i++) {
        dims[i] = PyArray_DIM(array, i);
    }
    *tensor = (opmill_tensor){NULL, dims, rank, code_of(array)};
    return true;
}

static bool is_plain(PyObject *value) {
    return PyArray_CheckExact(value) && PyArray_ISCARRAY_RO((PyArrayObject *)value) &&
           code_of((PyArrayObject *)value) != OPMILL_UNDEFINED;
}

/* The slot of a value that is there before the run. */
static step add_value(planner *plan, PyObject *number, Py_ssize_t at, int32_t *found) {
    Segment *segment = plan->segment;
    PyObject *value = PyList_GetItem(plan->values, at);
    if (value == NULL) {
        return RAISED;
    }
    PyObject *given = is_packed(value) ? ((Packed *)value)->array : value;
    const bool is_constant = has_number(plan->constants, number);
    if (!is_plain(given) || (given != value && !is_constant)) {
        return FALLBACK;
    }
    PyArrayObject *array = (PyArrayObject *)given;
    opmill_tensor tensor;
    if (!describe(segment, array, &tensor)) {
        return RAISED;
    }
    const size_t bytes = (size_t)PyArray_NBYTES(array);
    if (is_constant) {
        tensor.data = PyArray_DATA(array);
        if (PyList_Append(segment->owned, value) < 0) {
            return RAISED;
        }
        *found = add_slot(plan, IN_CONSTANT, -1, &tensor, bytes);
        segment->constants[segment->constant_count++] = (boundary){at, *found, value};
    } else {
        *found = add_slot(plan, IN_INPUT, segment->input_count, &tensor, bytes);
        segment->inputs[segment->input_count++] = (boundary){at, *found, NULL};
    }
    return DONE;
}

/* The number of a value, within the bounds of the list. */
static step read_value_number(const planner *plan, PyObject *given, Py_ssize_t *number) {
    *number = PyLong_AsSsize_t(given);
    if (*number < 0 || *number >= PyList_Size(plan->values)) {
        PyErr_Clear();
        PyErr_SetString(PyExc_IndexError, "a number of a value is out of range");
        return RAISED;
    }
    return DONE;
}

/* Lists a block of prepared inputs or attributes, of which a node has one for each input and one
 * more. */
static bool add_prepared(planner *plan, node *call, int32_t input, const Packed *packed) {
    if (call->prepared == NULL) {
        const size_t count = (size_t)call->input_count + 1;
        call->prepared = arena_take(&plan->segment->arena, count, sizeof *call->prepared);
        if (call->prepared == NULL) {
            return false;
        }
    }
    call->prepared[call->prepared_count++] = (opmill_prepared){input, packed->block, packed->bytes};
    return true;
}

static step plan_inputs(planner *plan, PyObject *numbers, node *call) {
    Segment *segment = plan->segment;
    call->input_count = (int32_t)PyTuple_Size(numbers);
    call->inputs = arena_take(&segment->arena, (size_t)call->input_count, sizeof *call->inputs);
    if (call->inputs == NULL) {
        return RAISED;
    }
    for (int32_t i = 0; i < call->input_count; i++) {
        PyObject *number = PyTuple_GetItem(numbers, i);
        Py_ssize_t at;
        if (read_value_number(plan, number, &at) != DONE) {
            return RAISED;
        }
        call->inputs[i] = -1;
        if (at == 0) { /* an absent one */
            if (i < call->operator->input_count &&
                call->operator->inputs[i].option == OPMILL_SINGLE) {
                return FALLBACK;
            }
            continue;
        }
        if (plan->slot_of[at] < 0) {
            const step added = add_value(plan, number, at, &plan->slot_of[at]);
            if (added != DONE) {
                return added;
            }
        }
        call->inputs[i] = plan->slot_of[at];
        PyObject *value = PyList_GetItem(plan->values, at);
        if (value != NULL && is_packed(value) && ((Packed *)value)->isa == segment->isa) {
            if (!add_prepared(plan, call, i, (const Packed *)value)) {
                return RAISED;
            }
        }
    }
    return DONE;
}

/* Takes the attributes, which last as long as the segment. */
static step plan_attributes(planner *plan, const Kernel *kernel, PyObject *given, PyObject *list,
                            node *call, Arranged **arranged) {
    const step done = take_arranged(list, &plan->reading, kernel, given, arranged);
    if (done != DONE) {
        return done;
    }
    call->attributes = (*arranged)->attributes;
    return PyList_Append(plan->segment->owned, (PyObject *)*arranged) == 0 ? DONE : RAISED;
}

/* Takes the block of the attributes, if the operator arranges them. */
static step plan_block(planner *plan, node *call, const opmill_tensor **inputs,
                       const Arranged *arranged) {
    const planned_call planned = {call->operator, inputs, call->input_count, call->output_count,
                                  &plan->context};
    plan->context.prepared_count = 0;
    plan->context.limits = NULL;
    Packed *block = block_of(arranged, &planned);
    if (block == NULL) {
        return PyErr_Occurred() ? RAISED : DONE;
    }
    const bool is_listed = PyList_Append(plan->segment->owned, (PyObject *)block) == 0 &&
                           add_prepared(plan, call, OPMILL_PREPARE_ATTRIBUTES, block);
    call->arranged_bytes = block->bytes;
    Py_DECREF((PyObject *)block);
    return is_listed ? DONE : RAISED;
}

static bool is_known(const Segment *segment, const node *call) {
    for (int32_t i = 0; i < call->input_count; i++) {
        if (call->inputs[i] >= 0 && segment->slots[call->inputs[i]].where != IN_CONSTANT) {
            return false;
        }
    }
    return true;
}

static bool is_kept(const planner *plan, PyObject *outputs) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(outputs); i++) {
        if (has_number(plan->needed, PyTuple_GetItem(outputs, i))) {
            return true;
        }
    }
    return false;
}

/* Computes constants. Inputs without data are those whose shapes alone are read. */
static step fold(planner *plan, const node *call, const opmill_tensor **inputs,
                 opmill_tensor *outputs) {
    static const int64_t unread[2] = {0, 0};
    Segment *segment = plan->segment;
    opmill_tensor *filled = arena_take(&segment->arena, (size_t)call->input_count, sizeof *filled);
    opmill_tensor **pointers =
        arena_take(&segment->arena, (size_t)call->output_count, sizeof *pointers);
    if (filled == NULL || pointers == NULL) {
        return RAISED;
    }
    for (int32_t i = 0; i < call->input_count; i++) {
        if (inputs[i] != NULL && inputs[i]->data == NULL) {
            filled[i] = *inputs[i];
            filled[i].data = (void *)unread;
            inputs[i] = &filled[i];
        }
    }
    for (int32_t i = 0; i < call->output_count; i++) {
        size_t bytes = (size_t)PyDataType_ELSIZE(dtype_of[outputs[i].type]);
        for (int32_t k = 0; k < outputs[i].rank; k++) {
            bytes *= (size_t)outputs[i].dims[k];
        }
        pointers[i] = &outputs[i];
        outputs[i].data = arena_take(&segment->arena, bytes + 1, 1);
        if (outputs[i].data == NULL) {
            return RAISED;
        }
    }
    scratch workspace = {NULL, 0};
    plan->context.workspace =
        call->workspace > 0 ? scratch_take(&workspace, call->workspace) : NULL;
    plan->context.workspace_size = call->workspace;
    if (call->workspace > 0 && plan->context.workspace == NULL) {
        return RAISED;
    }
    const int code = opmill_run(call->operator, inputs, call->input_count, call->attributes,
                                pointers, call->output_count, &plan->context);
    scratch_give_back(&workspace);
    return code == OPMILL_OK ? DONE : FALLBACK;
}

/* The types and shapes of the outputs of a node, and whether the library computes it. */
static step plan_shapes(planner *plan, node *call, const opmill_tensor **inputs,
                        opmill_tensor *outputs, size_t *output_bytes) {
    Segment *segment = plan->segment;
    opmill_context *context = &plan->context;
    opmill_choice choice;
    opmill_shape *shapes = PyMem_Malloc((size_t)call->output_count * sizeof *shapes + 1);
    if (shapes == NULL) {
        PyErr_NoMemory();
        return RAISED;
    }
    context->prepared = call->prepared;
    context->prepared_count = call->prepared_count;
    context->limits = call->is_limited ? &call->limits : NULL;
    int code = opmill_infer(call->operator, inputs, call->input_count, call->attributes, shapes,
                            call->output_count, context);
    step done = code == OPMILL_OK ? DONE : FALLBACK;
    size_t bytes = call->arranged_bytes;
    for (int32_t i = 0; i < call->input_count; i++) {
        bytes += call->inputs[i] >= 0 ? segment->slots[call->inputs[i]].bytes : 0;
    }
    for (int32_t i = 0; i < call->output_count && done == DONE; i++) {
        const opmill_shape *shape = &shapes[i];
        PyArray_Descr *dtype = dtype_of[shape->type];
        int64_t *dims = arena_take(&segment->arena, (size_t)shape->rank, sizeof *dims);
        if (dims == NULL || dtype == NULL) {
            done = dims == NULL ? RAISED : FALLBACK;
            break;
        }
        output_bytes[i] = (size_t)PyDataType_ELSIZE(dtype);
        for (int32_t k = 0; k < shape->rank; k++) {
            dims[k] = shape->dims[k];
            if (dims[k] > 0 && output_bytes[i] > (size_t)RETAINED_BYTES / (size_t)dims[k]) {
                done = FALLBACK;
                break;
            }
            output_bytes[i] *= (size_t)dims[k];
        }
        outputs[i] = (opmill_tensor){NULL, dims, shape->rank, shape->type};
        bytes += output_bytes[i];
    }
    PyMem_Free(shapes);
    if (done != DONE) {
        return done;
    }
    call->is_small = bytes < SMALL_BYTES;
    context->threads = call->is_small ? 1 : segment->threads;
    code = opmill_choose(call->operator, inputs, call->input_count, call->attributes,
                         call->output_count, &choice, context);
    if (code == OPMILL_OK) {
        code = opmill_workspace(call->operator, inputs, call->input_count, call->attributes,
                                call->output_count, &call->workspace, context);
    }
    return code == OPMILL_OK ? DONE : FALLBACK;
}

/* Sets the slots of the outputs of a node. */
static step plan_outputs(planner *plan, PyObject *numbers, const node *call,
                         const opmill_tensor *outputs, const size_t *bytes, location where,
                         int32_t shared) {
    Segment *segment = plan->segment;
    for (int32_t i = 0; i < call->output_count; i++) {
        PyObject *number = PyTuple_GetItem(numbers, i);
        Py_ssize_t at;
        if (read_value_number(plan, number, &at) != DONE) {
            return RAISED;
        }
        int32_t found;
        if (where == IN_SCRATCH && at > 0 && has_number(plan->needed, number)) {
            found = add_slot(plan, IN_OUTPUT, segment->output_count, &outputs[i], bytes[i]);
            segment->outputs[segment->output_count++] = (boundary){at, found, NULL};
        } else {
            found = add_slot(plan, where, -1, &outputs[i], bytes[i]);
        }
        if (shared >= 0) {
            slot *view = &segment->slots[found];
            const int32_t root = segment->slots[shared].root;
            *view = segment->slots[root];
            view->root = root;
            segment->tensors[found].data = segment->tensors[root].data;
        }
        if (at > 0) {
            plan->slot_of[at] = found;
        }
        call->outputs[i] = found;
    }
    return DONE;
}

/* Adds a step: (kernel, attributes, inputs, outputs, outputs to ask for, bits, limits, list for the
 * attributes as they are read). */
static step plan_step(planner *plan, PyObject *given) {
    Segment *segment = plan->segment;
    PyObject *kernel, *attributes, *inputs, *outputs, *count, *limits, *list;
    Arranged *arranged = NULL;
    int bits;
    if (!PyArg_ParseTuple(given, "O!OO!O!OiOO!", (PyTypeObject *)kernel_type, &kernel, &attributes,
                          &PyTuple_Type, &inputs, &PyTuple_Type, &outputs, &count, &bits, &limits,
                          &PyList_Type, &list)) {
        return RAISED;
    }
    node call = {.operator = ((Kernel *)kernel)->operator, .is_limited = limits != Py_None};
    if (call.is_limited && !PyArg_ParseTuple(limits, "ff", &call.limits.low, &call.limits.high)) {
        return RAISED;
    }
    const int32_t asked = asked_outputs(call.operator, count);
    if (asked < 0 || asked != PyTuple_Size(outputs) || is_bounded(call.operator) ||
        has_sequences(call.operator)) {
        return FALLBACK;
    }
    call.output_count = asked;
    step done = plan_attributes(plan, (Kernel *)kernel, attributes, list, &call, &arranged);
    if (done == DONE) {
        done = plan_inputs(plan, inputs, &call);
    }
    if (done != DONE) {
        return done;
    }
    const opmill_tensor **tensors =
        arena_take(&segment->arena, (size_t)call.input_count, sizeof *tensors);
    opmill_tensor *results = arena_take(&segment->arena, (size_t)asked, sizeof *results);
    size_t *bytes = arena_take(&segment->arena, (size_t)asked, sizeof *bytes);
    call.outputs = arena_take(&segment->arena, (size_t)asked, sizeof *call.outputs);
    if (tensors == NULL || results == NULL || bytes == NULL || call.outputs == NULL) {
        return RAISED;
    }
    for (int32_t i = 0; i < call.input_count; i++) {
        tensors[i] = call.inputs[i] >= 0 ? &segment->tensors[call.inputs[i]] : NULL;
    }
    done = plan_block(plan, &call, tensors, arranged);
    if (done == DONE) {
        done = plan_shapes(plan, &call, tensors, results, bytes);
    }
    if (done != DONE) {
        return done;
    }
    if (!is_kept(plan, outputs)) {
        if ((bits & PASSES_ELEMENTS) != 0 && asked == 1 && call.inputs[0] >= 0 &&
            segment->slots[call.inputs[0]].bytes == bytes[0]) {
            return plan_outputs(plan, outputs, &call, results, bytes, IN_SCRATCH, call.inputs[0]);
        }
        size_t all = 0;
        for (int32_t i = 0; i < asked; i++) {
            all += bytes[i];
        }
        if (all <= MAX_FOLDED_BYTES && ((bits & READS_SHAPES) != 0 || is_known(segment, &call))) {
            done = fold(plan, &call, tensors, results);
            return done == DONE
                       ? plan_outputs(plan, outputs, &call, results, bytes, IN_CONSTANT, -1)
                       : done;
        }
    }
    done = plan_outputs(plan, outputs, &call, results, bytes, IN_SCRATCH, -1);
    if (done == DONE) {
        segment->pointer_count += call.input_count + call.output_count;
        segment->nodes[segment->node_count++] = call;
    }
    return done;
}

/* The segment */

/* Reads a tuple of numbers of values. */
static bool read_numbers(planner *plan, PyObject *given, Py_ssize_t *numbers) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(given); i++) {
        if (read_value_number(plan, PyTuple_GetItem(given, i), &numbers[i]) != DONE) {
            return false;
        }
    }
    return true;
}

/* The lists of a segment, as long as its steps may need them. */
static bool take_lists(Segment *segment, PyObject *steps) {
    size_t inputs = 0, outputs = 0;
    const Py_ssize_t count = PyTuple_Size(steps);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *one = PyTuple_GetItem(steps, i);
        PyObject *read = PyTuple_Check(one) ? PyTuple_GetItem(one, 2) : NULL;
        PyObject *written = read != NULL ? PyTuple_GetItem(one, 3) : NULL;
        if (written == NULL || !PyTuple_Check(read) || !PyTuple_Check(written)) {
            PyErr_Clear();
            PyErr_SetString(PyExc_TypeError, "expected a tuple of steps");
            return false;
        }
        inputs += (size_t)PyTuple_Size(read);
        outputs += (size_t)PyTuple_Size(written);
    }
    arena *from = &segment->arena;
    segment->slots = arena_take(from, inputs + outputs, sizeof *segment->slots);
    segment->tensors = arena_take(from, inputs + outputs, sizeof *segment->tensors);
    segment->nodes = arena_take(from, (size_t)count, sizeof *segment->nodes);
    segment->inputs = arena_take(from, inputs, sizeof *segment->inputs);
    segment->constants = arena_take(from, inputs, sizeof *segment->constants);
    segment->outputs = arena_take(from, outputs, sizeof *segment->outputs);
    return segment->slots != NULL && segment->tensors != NULL && segment->nodes != NULL &&
           segment->inputs != NULL && segment->constants != NULL && segment->outputs != NULL;
}

static PyObject *segment_of(planner *plan, PyObject *steps, PyObject *released) {
    Segment *segment = plan->segment;
    const Py_ssize_t count = PyTuple_Size(steps);
    for (Py_ssize_t i = 0; i < count; i++) {
        const step done = plan_step(plan, PyTuple_GetItem(steps, i));
        if (done != DONE) {
            return done == RAISED ? NULL : PyLong_FromSsize_t(i);
        }
    }
    if (!read_numbers(plan, released, segment->released) || !plan_memory(segment)) {
        return NULL;
    }
    if (segment->value_bytes + segment->workspace > RETAINED_BYTES) {
        return PyLong_FromLong(TOO_LARGE);
    }
    Py_INCREF((PyObject *)segment);
    return (PyObject *)segment;
}

/* plan_segment(steps, values, constants, kept, released) */
static PyObject *plan_segment(PyObject *module, PyObject *args) {
    PyObject *steps, *values, *constants, *needed, *released;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O!", &PyTuple_Type, &steps, &PyList_Type, &values,
                          &PyFrozenSet_Type, &constants, &PyFrozenSet_Type, &needed, &PyTuple_Type,
                          &released)) {
        return NULL;
    }
    opmill_context context = OPMILL_CONTEXT_INIT;
    const step here = read_choice(&context);
    if (here != DONE) {
        return here == RAISED ? NULL : PyLong_FromLong(ELSEWHERE);
    }
    Segment *segment = PyObject_New(Segment, (PyTypeObject *)segment_type);
    planner *plan = PyMem_Malloc(sizeof *plan);
    const size_t numbers = (size_t)PyList_Size(values);
    int32_t *slot_of = PyMem_Malloc(numbers * sizeof *slot_of + 1);
    PyObject *result = NULL;
    if (segment == NULL || plan == NULL || slot_of == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    memset((char *)segment + offsetof(Segment, owned), 0,
           sizeof *segment - offsetof(Segment, owned));
    arena_open(&segment->arena);
    segment->owned = PyList_New(0);
    segment->isa = used_isa(&context);
    segment->threads = thread_count;
    for (size_t i = 0; i < numbers; i++) {
        slot_of[i] = -1;
    }
    plan->segment = segment;
    plan->values = values;
    plan->constants = constants;
    plan->needed = needed;
    plan->slot_of = slot_of;
    plan->context = context;
    segment->released_count = (int32_t)PyTuple_Size(released);
    segment->released =
        arena_take(&segment->arena, (size_t)segment->released_count, sizeof *segment->released);
    if (segment->owned != NULL && segment->released != NULL && take_lists(segment, steps)) {
        result = segment_of(plan, steps, released);
    }
done:
    PyMem_Free(plan);
    PyMem_Free(slot_of);
    Py_XDECREF((PyObject *)segment);
    return result;
}

#endif
