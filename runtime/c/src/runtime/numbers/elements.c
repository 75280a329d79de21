/* The table of element types: name and number of bits. Computes sizes of tensors with checks for
 * overflow. */
#include "runtime/numbers/elements.h"

#include "runtime/numbers/integers.h"

static const struct {
    const char *name;
    int32_t bits;
} ELEMENTS[] = {
    [OPMILL_UNDEFINED] = {"undefined", 0},
    [OPMILL_FLOAT] = {"float", 32},
    [OPMILL_UINT8] = {"uint8", 8},
    [OPMILL_INT8] = {"int8", 8},
    [OPMILL_UINT16] = {"uint16", 16},
    [OPMILL_INT16] = {"int16", 16},
    [OPMILL_INT32] = {"int32", 32},
    [OPMILL_INT64] = {"int64", 64},
    [OPMILL_STRING] = {"string", (int32_t)(8 * sizeof(const char *))},
    [OPMILL_BOOL] = {"bool", 8},
    [OPMILL_FLOAT16] = {"float16", 16},
    [OPMILL_DOUBLE] = {"double", 64},
    [OPMILL_UINT32] = {"uint32", 32},
    [OPMILL_UINT64] = {"uint64", 64},
    [OPMILL_COMPLEX64] = {"complex64", 64},
    [OPMILL_COMPLEX128] = {"complex128", 128},
    [OPMILL_BFLOAT16] = {"bfloat16", 16},
    [OPMILL_FLOAT8E4M3FN] = {"float8e4m3fn", 8},
    [OPMILL_FLOAT8E4M3FNUZ] = {"float8e4m3fnuz", 8},
    [OPMILL_FLOAT8E5M2] = {"float8e5m2", 8},
    [OPMILL_FLOAT8E5M2FNUZ] = {"float8e5m2fnuz", 8},
    [OPMILL_UINT4] = {"uint4", 4},
    [OPMILL_INT4] = {"int4", 4},
    [OPMILL_FLOAT4E2M1] = {"float4e2m1", 4},
    [OPMILL_FLOAT8E8M0] = {"float8e8m0", 8},
    [OPMILL_UINT2] = {"uint2", 2},
    [OPMILL_INT2] = {"int2", 2},
    [OPMILL_FLOAT6E2M3] = {"float6e2m3", 6},
    [OPMILL_FLOAT6E3M2] = {"float6e3m2", 6},
};

static bool is_element(int32_t type) {
    return type > OPMILL_UNDEFINED && type < (int32_t)(sizeof ELEMENTS / sizeof ELEMENTS[0]);
}

const char *opmill_type_name(int32_t type) {
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
static inline int32_t bits_of(int32_t type) { return is_element(type) ? ELEMENTS[type].bits : 0; }

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
