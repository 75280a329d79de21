/* Support of generated rules: lists, views of them, the contents of tensors, and the faults that a
 * rule can end with. Functions that return bool return true where they fail. */
#ifndef OPMILL_RULES_H
#define OPMILL_RULES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "opmill/types.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/call/message.h"

/* A list of a rule's own: at most two values for each axis, as pads have. */
enum { OPMILL_MAX_LIST = 2 * OPMILL_MAX_RANK };

typedef struct opmill_list {
    int64_t values[OPMILL_MAX_LIST];
    int64_t count;
} opmill_list;

/* The same of floats. */
typedef struct opmill_float_list {
    double values[OPMILL_MAX_LIST];
    int64_t count;
} opmill_float_list;

static inline opmill_ints opmill_list_view(const opmill_list *list) {
    const opmill_ints view = {list->values, list->count};
    return view;
}

static inline opmill_ints opmill_dims(const opmill_tensor *tensor) {
    const opmill_ints view = {tensor->dims, tensor->rank};
    return view;
}

static inline opmill_ints opmill_sparse_dims(const opmill_sparse_tensor *tensor) {
    const opmill_ints view = {tensor->dims, tensor->rank};
    return view;
}

/* An attribute in a plan: its type is OPMILL_UNDEFINED where it is absent. What it points to is the
 * caller's. */
static inline void opmill_plan_tensor(opmill_tensor *planned, const opmill_tensor *given) {
    static const opmill_tensor absent = {NULL, NULL, 0, OPMILL_UNDEFINED};
    *planned = given != NULL ? *given : absent;
}

/* True if a list takes no further value. A rule proves that it does where tensors have up to 64
 * axes; in a build for fewer, the capacity is checked. */
static inline bool opmill_list_is_full(int64_t count) {
    return OPMILL_MAX_RANK < 64 && count >= OPMILL_MAX_LIST;
}

/* The name of the element type of a sequence, which is "" where nothing determines it. */
static inline const char *opmill_item_type_name(int32_t type) {
    return type == OPMILL_UNDEFINED ? "" : opmill_type_name(type);
}

/* Lists; the values may be a part of the list itself. */
bool opmill_list_set(opmill_list *list, opmill_ints values);
bool opmill_list_extend(opmill_list *list, opmill_ints values);

/* [item] * count; below 0 it gives no value. */
bool opmill_list_repeat(opmill_list *list, int64_t item, int64_t count);

bool opmill_floats_repeat(opmill_float_list *list, double item, int64_t count);
void opmill_floats_copy(opmill_float_list *to, const opmill_float_list *from);

/* values[start:stop], within the length; neither end is negative. */
opmill_ints opmill_slice(opmill_ints values, int64_t start, int64_t stop);

bool opmill_same_ints(opmill_ints a, opmill_ints b);

/* The rank may be above OPMILL_MAX_RANK in a build for few axes: opmill_call_types refuses it. */
void opmill_set_shape(opmill_shape *shape, opmill_ints dims);

static inline void opmill_put_list(opmill_message *message, opmill_ints values) {
    opmill_put_ints(message, values.values, values.count);
}

/* Tensors. Contents are missing where `data` is NULL and the size is not 0. */
bool opmill_tensor_size(const opmill_tensor *tensor, int64_t *size);

/* The contents of a tensor of integers or bools; the storage takes those that are not int64. Sets
 * the error and returns its code where they are missing, too many, or beyond int64. */
int opmill_rule_values(const char *op, const opmill_tensor *tensor, const char *name,
                       opmill_list *storage, opmill_ints *values, opmill_context *context);

bool opmill_tensor_number(const opmill_tensor *tensor, int64_t index, double *number);

static inline bool opmill_magnitude(int64_t value, int64_t *result) {
    return value < 0 ? opmill_sub(0, value, result) : (*result = value, false);
}

/* Floats, to the nearest, ties to even, the same bits on every machine. A product is rounded before
 * a sum takes it, as it would not be in a fused multiplication and addition. */
double opmill_product(double a, double b);
double opmill_floor(double value);
double opmill_ceil(double value);

/* The nearest value of a type that has this name in ONNX; others leave the value as it is. */
double opmill_rounded(double value, const char *type);

/* Texts: the number of bytes, and a byte, or -1 outside of the text. */
int64_t opmill_byte_count(const char *text);
int64_t opmill_byte_at(const char *text, int64_t index);

/* True where a float is whole and lies within int64. */
bool opmill_is_int64(double value);

/* The ends of a rule that fails by itself; each sets the error and returns its code. */
int opmill_rule_overflow(const char *op, opmill_context *context);
int opmill_rule_value(const char *op, const char *name, opmill_context *context);
int opmill_rule_index(const char *op, opmill_context *context);
int opmill_rule_list(const char *op, opmill_context *context);

#endif
