/* The table of element types: name and number of bits. Computes sizes of tensors with checks for
 * overflow. */
#include "runtime/numbers/elements.h"

#include "runtime/numbers/integers.h"

#define ELEMENT(name, bits) \
    {                                                                                              \
        name, "seq(tensor(" name "))", "optional(tensor(" name "))",                               \
            "optional(seq(tensor(" name ")))",                                                     \
            {"map(int64, " name ")", "map(string, " name ")", "seq(map(int64, " name "))",         \
             "seq(map(string, " name "))"},                                                        \
            bits                                                                                   \
    }

static const struct {
    const char *name;
    const char *sequence;          /* ONNX's words for a sequence of tensors of the type, */
    const char *optional;          /* for an optional of a tensor, */
    const char *optional_sequence; /* for an optional of a sequence, */
    const char *maps[4];           /* and for maps with it as values, and sequences of maps */
    int32_t bits;
} ELEMENTS[] = {
    [OPMILL_UNDEFINED] =
        {"undefined", "seq", "optional", "optional(seq)", {NULL, NULL, NULL, NULL}, 0},
    [OPMILL_FLOAT] = ELEMENT("float", 32),
    [OPMILL_UINT8] = ELEMENT("uint8", 8),
    [OPMILL_INT8] = ELEMENT("int8", 8),
    [OPMILL_UINT16] = ELEMENT("uint16", 16),
    [OPMILL_INT16] = ELEMENT("int16", 16),
    [OPMILL_INT32] = ELEMENT("int32", 32),
    [OPMILL_INT64] = ELEMENT("int64", 64),
    [OPMILL_STRING] = ELEMENT("string", (int32_t)(8 * sizeof(const char *))),
    [OPMILL_BOOL] = ELEMENT("bool", 8),
    [OPMILL_FLOAT16] = ELEMENT("float16", 16),
    [OPMILL_DOUBLE] = ELEMENT("double", 64),
    [OPMILL_UINT32] = ELEMENT("uint32", 32),
    [OPMILL_UINT64] = ELEMENT("uint64", 64),
    [OPMILL_COMPLEX64] = ELEMENT("complex64", 64),
    [OPMILL_COMPLEX128] = ELEMENT("complex128", 128),
    [OPMILL_BFLOAT16] = ELEMENT("bfloat16", 16),
    [OPMILL_FLOAT8E4M3FN] = ELEMENT("float8e4m3fn", 8),
    [OPMILL_FLOAT8E4M3FNUZ] = ELEMENT("float8e4m3fnuz", 8),
    [OPMILL_FLOAT8E5M2] = ELEMENT("float8e5m2", 8),
    [OPMILL_FLOAT8E5M2FNUZ] = ELEMENT("float8e5m2fnuz", 8),
    [OPMILL_UINT4] = ELEMENT("uint4", 4),
    [OPMILL_INT4] = ELEMENT("int4", 4),
    [OPMILL_FLOAT4E2M1] = ELEMENT("float4e2m1", 4),
    [OPMILL_FLOAT8E8M0] = ELEMENT("float8e8m0", 8),
    [OPMILL_UINT2] = ELEMENT("uint2", 2),
    [OPMILL_INT2] = ELEMENT("int2", 2),
    [OPMILL_FLOAT6E2M3] = ELEMENT("float6e2m3", 6),
    [OPMILL_FLOAT6E3M2] = ELEMENT("float6e3m2", 6),
};

static bool is_element(int32_t type) {
    return type > OPMILL_UNDEFINED && type < (int32_t)(sizeof ELEMENTS / sizeof ELEMENTS[0]);
}

const char *opmill_type_name(int32_t type) {
    const int32_t element = opmill_element_type(type);
    if (opmill_is_optional(type)) {
        return opmill_is_sequence(opmill_contents_type(type)) ? ELEMENTS[element].optional_sequence
                                                              : ELEMENTS[element].optional;
    }
    if (opmill_is_sequence(type)) {
        return ELEMENTS[element].sequence;
    }
    if (opmill_is_map(type) || opmill_is_map_sequence(type)) {
        const int32_t sequence = opmill_is_map(type) ? 0 : 2;
        return ELEMENTS[element].maps[sequence + (type >= OPMILL_MAP_STRING)];
    }
    return is_element(type) ? ELEMENTS[type].name : "unknown";
}

/* ONNX's word in capitals, whatever the locale: words are of ASCII's letters and digits. */
static bool is_in_capitals(const char *name, const char *word) {
    for (; *word != '\0'; name++, word++) {
        const char capital = *word >= 'a' && *word <= 'z' ? (char)(*word - 'a' + 'A') : *word;
        if (*name != capital) {
            return false;
        }
    }
    return *name == '\0';
}

int32_t opmill_type_of_name(const char *name) {
    for (int32_t type = OPMILL_UNDEFINED + 1; is_element(type); type++) {
        if (is_in_capitals(name, ELEMENTS[type].name)) {
            return type;
        }
    }
    return OPMILL_UNDEFINED;
}

/* Inline, as each call asks for it several times and shared libraries inline no exported function.
 */
static inline int32_t bits_of(int32_t type) {
    if (opmill_has_items(type)) {
        return (int32_t)(8 * sizeof(const opmill_tensor *));
    }
    return is_element(type) ? ELEMENTS[type].bits : 0;
}

int32_t opmill_type_bits(int32_t type) { return bits_of(type); }

int32_t opmill_type_bytes(int32_t type) {
    const int32_t bits = bits_of(type);
    return bits % 8 == 0 ? bits / 8 : 0;
}

/* The bytes that the dims ask for which are not 0, and whether one is 0. False where int64 cannot
 * hold them. */
static inline bool size_of(const int64_t *dims, int32_t rank, int32_t type, int64_t *size,
                           bool *empty) {
    const int64_t bits = bits_of(type);
    int64_t count = 1;
    *empty = false;
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] == 0) {
            *empty = true;
        } else if (opmill_mul(count, dims[i], &count)) {
            return false;
        }
    }
    /* Whole bytes first and the odd bits after them, so that counting bits cannot overflow. */
    return !opmill_mul(count / 8, bits, size) &&
           !opmill_add(*size, (count % 8 * bits + 7) / 8, size);
}

bool opmill_size_fits_int64(const int64_t *dims, int32_t rank, int32_t type) {
    int64_t size;
    bool empty;
    return size_of(dims, rank, type, &size, &empty);
}

bool opmill_tensor_bytes(const int64_t *dims, int32_t rank, int32_t type, size_t *bytes) {
    int64_t size;
    bool empty;
    if (!size_of(dims, rank, type, &size, &empty) || size > PTRDIFF_MAX) {
        return false;
    }
    *bytes = empty ? 0 : (size_t)size;
    return true;
}
