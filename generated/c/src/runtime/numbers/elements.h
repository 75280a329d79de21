/* Element types: their names, their sizes, and the bytes of a tensor. */
#ifndef OPMILL_ELEMENTS_H
#define OPMILL_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opmill/types.h"

/* True if a type is that of a sequence, of whatever elements. */
static inline bool opmill_is_sequence(int32_t type) {
    return type >= OPMILL_SEQUENCE && type <= OPMILL_SEQUENCE + OPMILL_FLOAT6E3M2;
}

/* True if a type is that of an optional, of whatever contents. */
static inline bool opmill_is_optional(int32_t type) {
    const int64_t contents = (int64_t)type - OPMILL_OPTIONAL_TYPE;
    return contents >= OPMILL_UNDEFINED && contents <= OPMILL_SEQUENCE + OPMILL_FLOAT6E3M2 &&
           (contents <= OPMILL_FLOAT6E3M2 || contents >= OPMILL_SEQUENCE);
}

/* True if a type is that of a map. */
static inline bool opmill_is_map(int32_t type) {
    const int32_t value = type % OPMILL_SEQUENCE;
    return (type - value == OPMILL_MAP_INT64 || type - value == OPMILL_MAP_STRING) &&
           value > OPMILL_UNDEFINED && value <= OPMILL_FLOAT6E3M2;
}

/* True if a type is that of a sequence of maps. */
static inline bool opmill_is_map_sequence(int32_t type) {
    return type > OPMILL_SEQUENCE && opmill_is_map(type - OPMILL_SEQUENCE);
}

/* True if the elements are pointers to tensors. */
static inline bool opmill_has_items(int32_t type) {
    return type >= OPMILL_SEQUENCE && (opmill_is_sequence(type) || opmill_is_optional(type) ||
                                       opmill_is_map(type) || opmill_is_map_sequence(type));
}

/* The type of the contents of an optional; of another value, its own. */
static inline int32_t opmill_contents_type(int32_t type) {
    return opmill_is_optional(type) ? type - OPMILL_OPTIONAL_TYPE : type;
}

/* The element type of the tensors of a sequence or of an optional, of the values of maps, and of a
 * tensor. */
static inline int32_t opmill_element_type(int32_t type) {
    return opmill_has_items(type) ? type % OPMILL_SEQUENCE : type;
}

/* The type of a map's keys. */
static inline int32_t opmill_key_type(int32_t map) {
    return map < OPMILL_MAP_STRING ? OPMILL_INT64 : OPMILL_STRING;
}

/* ONNX's word for an element type, as "float" or "int64", for that of a sequence, as
 * "seq(tensor(float))", of an optional, as "optional(tensor(float))", or of a map, as
 * "map(string, float)"; "unknown" for any other number. */
const char *opmill_type_name(int32_t type);

/* Number of the type with this name in TensorProto.DataType, such as "FLOAT"; 0 if unknown. */
int32_t opmill_type_of_name(const char *name);

/* The bits of one element in memory, of a sequence, an optional or a map those of a pointer; 0
 * for a number that is no type. */
int32_t opmill_type_bits(int32_t type);

/* The bytes of one element, for the types that fill whole bytes; 0 for all others. */
int32_t opmill_type_bytes(int32_t type);

/* The bytes of a tensor. False where the dims that are not 0 already ask for more than PTRDIFF_MAX
 * bytes: such a shape is refused even if another dim is 0, as NumPy does. Dims are >= 0. */
bool opmill_tensor_bytes(const int64_t *dims, int32_t rank, int32_t type, size_t *bytes);

/* True if int64 holds these bytes: for upper bounds of shapes, which need no memory. */
bool opmill_size_fits_int64(const int64_t *dims, int32_t rank, int32_t type);

#endif
