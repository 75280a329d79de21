/* The element types: their words and numbers of bits. Computes sizes of tensors with checks for
 * overflow. */
#include "runtime/numbers/elements.h"

#include "runtime/numbers/integers.h"

/* Type, ONNX's word and bits. */
#define ELEMENT_TYPES(X) \
    X(FLOAT, "float", 32) \
    X(UINT8, "uint8", 8) \
    X(INT8, "int8", 8) \
    X(UINT16, "uint16", 16) \
    X(INT16, "int16", 16) \
    X(INT32, "int32", 32) \
    X(INT64, "int64", 64) \
    X(STRING, "string", (uint8_t)(8 * sizeof(const char *))) \
    X(BOOL, "bool", 8) \
    X(FLOAT16, "float16", 16) \
    X(DOUBLE, "double", 64) \
    X(UINT32, "uint32", 32) \
    X(UINT64, "uint64", 64) \
    X(COMPLEX64, "complex64", 64) \
    X(COMPLEX128, "complex128", 128) \
    X(BFLOAT16, "bfloat16", 16) \
    X(FLOAT8E4M3FN, "float8e4m3fn", 8) \
    X(FLOAT8E4M3FNUZ, "float8e4m3fnuz", 8) \
    X(FLOAT8E5M2, "float8e5m2", 8) \
    X(FLOAT8E5M2FNUZ, "float8e5m2fnuz", 8) \
    X(UINT4, "uint4", 4) \
    X(INT4, "int4", 4) \
    X(FLOAT4E2M1, "float4e2m1", 4) \
    X(FLOAT8E8M0, "float8e8m0", 8) \
    X(UINT2, "uint2", 2) \
    X(INT2, "int2", 2) \
    X(FLOAT6E2M3, "float6e2m3", 6) \
    X(FLOAT6E3M2, "float6e3m2", 6)

/* Apart from the words, which most programs for microcontrollers do not link. */
static const uint8_t BITS[] = {
#define ELEMENT(type, word, bits) [OPMILL_##type] = bits,
    ELEMENT_TYPES(ELEMENT)
#undef ELEMENT
};

typedef struct type_words {
    const char *name;
    const char *sequence;          /* ONNX's words for a sequence of tensors of the type, */
    const char *optional;          /* for an optional of a tensor, */
    const char *optional_sequence; /* for an optional of a sequence, */
    const char *maps[4];           /* and for maps with it as values, and sequences of maps */
} type_words;

static const type_words WORDS[] = {
#define ELEMENT(type, word, bits)                                                                   \
    [OPMILL_##type] = {word,                                                                        \
                       "seq(tensor(" word "))",                                                     \
                       "optional(tensor(" word "))",                                                \
                       "optional(seq(tensor(" word ")))",                                           \
                       {"map(int64, " word ")", "map(string, " word ")",                            \
                        "seq(map(int64, " word "))", "seq(map(string, " word "))"}},
    ELEMENT_TYPES(ELEMENT)
#undef ELEMENT
        [OPMILL_UNDEFINED] =
            {"undefined", "seq", "optional", "optional(seq)", {NULL, NULL, NULL, NULL}},
};

static bool is_element(int32_t type) {
    return type > OPMILL_UNDEFINED && type < (int32_t)(sizeof BITS / sizeof BITS[0]);
}

const char *opmill_type_name(int32_t type) {
    const int32_t element = opmill_element_type(type);
    if (opmill_is_optional(type)) {
        return opmill_is_sequence(opmill_contents_type(type)) ? WORDS[element].optional_sequence
                                                              : WORDS[element].optional;
    }
    if (opmill_is_sequence(type)) {
        return WORDS[element].sequence;
    }
    if (opmill_is_map(type) || opmill_is_map_sequence(type)) {
        const int32_t sequence = opmill_is_map(type) ? 0 : 2;
        return WORDS[element].maps[sequence + (type >= OPMILL_MAP_STRING)];
    }
    return is_element(type) ? WORDS[type].name : "unknown";
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
        if (is_in_capitals(name, WORDS[type].name)) {
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
    return is_element(type) ? BITS[type] : 0;
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
