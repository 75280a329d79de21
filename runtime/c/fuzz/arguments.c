/* Builds the inputs and attributes of a fuzzed call in memory: elements are drawn from a palette of
 * edge values of their type. Also compares the elements of two tensors within a tolerance. */
#include "arguments.h"

#include <math.h>
#include <string.h>

#include "formats.h"
#include "values.h"

enum { MAX_ELEMENTS = 1 << 12, PALETTE = 128 };

/* Products of the elements of the two largest inputs: more than any operator multiplies. */
static const int64_t MAX_WORK = 1 << 18;

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 11;
}

static bool is_type(int32_t type) { return type > OPMILL_UNDEFINED && type <= OPMILL_FLOAT6E3M2; }

size_t elements_bytes(int32_t type, int64_t count) {
    return is_type(type) ? type_bytes(type, count) : 16 * (size_t)count;
}

int64_t elements_below(const int64_t *dims, int32_t rank, int64_t limit) {
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] == 0) {
            return 0;
        }
    }
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] < 0 || dims[i] >= limit || count * dims[i] >= limit) {
            return limit;
        }
        count *= dims[i];
    }
    return count;
}

/* True if no memory can hold the tensor, whose dims of 0 do not count, or no int64 its elements. */
static bool is_impossible(const int64_t *dims, int32_t rank, int32_t type) {
    const int64_t bytes_of_eight = (int64_t)elements_bytes(type, 8);
    int64_t left =
        PTRDIFF_MAX / bytes_of_eight > INT64_MAX / 8
            ? INT64_MAX
            : PTRDIFF_MAX / bytes_of_eight * 8 + PTRDIFF_MAX % bytes_of_eight * 8 / bytes_of_eight;
    for (int32_t i = 0; i < rank; i++) {
        left /= dims[i] > 0 ? dims[i] : 1;
    }
    return left == 0;
}

static bool is_float(int32_t type) {
    return type == OPMILL_FLOAT || type == OPMILL_DOUBLE || type == OPMILL_FLOAT16 ||
           type == OPMILL_BFLOAT16 || type == OPMILL_COMPLEX64 || type == OPMILL_COMPLEX128;
}

/* Part `index` of the palette of a floating type. */
static double real_of(const call_tensor *from, int index) {
    static const double EXTREMES[] = {(double)INFINITY, -(double)INFINITY, (double)NAN, -0.0};
    if (from->content == CONTENT_SPECIAL && index % 4 == 3) {
        return EXTREMES[index / 4 % 4];
    }
    return (double)(index % 17 - 8) / 4;
}

/* Elements to choose from; returns how many. */
static int make_palette(unsigned char *palette, const call_tensor *from) {
    static const char *const WORDS[] = {"", "a", "bc", "NOTSET", "\xff\xfe"};
    const int32_t type = from->type;
    const int listed = from->values.count;
    int count = from->content == CONTENT_ZEROS ? 1 : from->content == CONTENT_VALUES ? listed : 64;
    memset(palette, 0, PALETTE * 16);
    if (count == 0 && type == OPMILL_STRING) {
        count = 1;
    } else if (count == 0) {
        return 1;
    }
    for (int i = 0; i < count; i++) {
        if (type == OPMILL_STRING) {
            ((const char **)palette)[i] = WORDS[i % 5];
        } else if (from->content == CONTENT_VALUES) {
            set_whole(palette, type, i, from->values.values[i]);
        } else if (from->content == CONTENT_ZEROS) {
            continue;
        } else if (is_float(type)) {
            for (int part = 0; part < type_parts(type); part++) {
                set_real(palette, type, i * type_parts(type) + part, real_of(from, i));
            }
        } else {
            set_whole(palette, type, i, i);
        }
    }
    return count;
}

static void fill(unsigned char *data, size_t size, const call_tensor *from) {
    /* Aligned for every type. */
    union {
        unsigned char bytes[PALETTE * 16];
        double number;
        const char *text;
    } palette;
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15) * (from->seed + UINT64_C(1));
    const size_t bytes = elements_bytes(from->type, 1);
    if (from->content == CONTENT_WILD && from->type != OPMILL_STRING) {
        const unsigned mask = from->type == OPMILL_BOOL ? 1 : 0xff;
        for (size_t i = 0; i < size; i++) {
            data[i] = (unsigned char)(next_random(&state) & mask);
        }
        return;
    }
    const uint64_t count = (uint64_t)make_palette(palette.bytes, from);
    for (size_t i = 0; i * bytes < size; i++) {
        const uint64_t chosen = from->content == CONTENT_VALUES ? i % count
                                : count > 1                     ? next_random(&state) % count
                                                                : 0;
        memcpy(data + i * bytes, palette.bytes + chosen * bytes, bytes);
    }
}

/* A tensor; adds to what the arguments lack. Returns its elements, 0 where it has no data. */
static int64_t make_tensor(call_arguments *arguments, const call_tensor *from,
                           opmill_tensor *tensor) {
    memory *const blocks = &arguments->blocks;
    const bool misaligned = (from->spoiled & TENSOR_ODD) != 0;
    const size_t dims_bytes = (size_t)from->dims.count * sizeof(int64_t);
    *tensor = (opmill_tensor){NULL, NULL, from->rank, from->type};
    if ((from->spoiled & TENSOR_NO_DIMS) == 0) {
        int64_t *const dims = memory_new(blocks, dims_bytes, 0);
        memcpy(dims, from->dims.values, dims_bytes);
        tensor->dims = dims;
    }
    for (int32_t i = 0; i < from->dims.count; i++) {
        if (from->dims.values[i] < 0) {
            return 0; /* refused for its form: there is no data to have */
        }
    }
    const int64_t count = elements_below(from->dims.values, from->dims.count, MAX_ELEMENTS);
    const bool impossible = is_impossible(from->dims.values, from->dims.count, from->type);
    /* No memory has so many elements: a pointer to fewer is no worse, and must not be followed. */
    const bool present = count < MAX_ELEMENTS || (impossible && from->seed % 2 == 0);
    arguments->lacking = arguments->lacking || impossible || (!present && count > 0);
    if (!present || (from->spoiled & TENSOR_NO_DATA) != 0) {
        arguments->lacking = arguments->lacking || count > 0;
        return 0;
    }
    const size_t size = count < MAX_ELEMENTS ? elements_bytes(from->type, count) : 0;
    arguments->lacking =
        arguments->lacking || (misaligned && elements_bytes(from->type, 1) > 1 && size > 0);
    tensor->data = memory_new(blocks, size, misaligned ? 1 : 0);
    if (is_type(from->type)) {
        fill(tensor->data, size, from);
    } else {
        memset(tensor->data, from->seed, size);
    }
    return count < MAX_ELEMENTS ? count : 0;
}

static void make_inputs(call_arguments *arguments, const call *from) {
    const opmill_operator *const operator = from->operator;
    const bool variadic = operator->input_count > 0 &&
                          operator->inputs[operator->input_count - 1].option == OPMILL_VARIADIC;
    int64_t largest = 1, second = 1;
    arguments->input_count = from->input_count;
    if (variadic && arguments->input_count > CALL_VALUES) {
        arguments->input_count =
            CALL_VALUES; /* any number is legal, if there are so many pointers */
    }
    const int32_t slots = arguments->input_count < 0             ? 0
                          : arguments->input_count > CALL_VALUES ? CALL_VALUES
                                                                 : arguments->input_count;
    const opmill_tensor **const inputs =
        memory_new(&arguments->blocks, (size_t)slots * sizeof(opmill_tensor *), 0);
    for (int32_t i = 0; i < slots; i++) {
        inputs[i] = NULL;
        if (i >= from->tensor_count || (from->tensors[i].spoiled & TENSOR_ABSENT) != 0) {
            continue;
        }
        opmill_tensor *const tensor = memory_new(&arguments->blocks, sizeof *tensor, 0);
        const int64_t count = make_tensor(arguments, &from->tensors[i], tensor);
        inputs[i] = tensor;
        second = count > largest ? largest : count > second ? count : second;
        largest = count > largest ? count : largest;
    }
    arguments->laborious = largest * second > MAX_WORK;
    arguments->inputs = (from->spoiled & CALL_NO_INPUTS) != 0 ? NULL : inputs;
}

/* The texts of a list, which commas separate. */
static opmill_strings split(call_arguments *arguments, const call_attribute *given) {
    opmill_strings list = {NULL, given->length < 0 ? -1 : 0};
    if (given->length > 0) {
        char *const text = memory_new(&arguments->blocks, (size_t)given->length + 1, 0);
        const char **const values =
            memory_new(&arguments->blocks, ((size_t)given->length + 1) * sizeof *values, 0);
        memcpy(text, given->text, (size_t)given->length + 1);
        values[list.count++] = text;
        for (int32_t i = 0; i < given->length; i++) {
            if (text[i] == ',') {
                text[i] = '\0';
                values[list.count++] = text + i + 1;
            }
        }
        list.values = values;
    }
    return list;
}

/* An attribute that is a tensor: the type, what its elements are, the dims; NULL for fewer. */
static const opmill_tensor *make_tensor_attribute(call_arguments *arguments,
                                                  const call_attribute *given) {
    const int64_t *const parts = given->values.values;
    call_tensor described = {.content = CONTENT_VALUES, .values = {.count = 1}};
    if (given->number != given->values.count || given->values.count < 2) {
        return NULL;
    }
    described.type = parts[0] < INT32_MIN || parts[0] > INT32_MAX ? -1 : (int32_t)parts[0];
    described.values.values[0] = parts[1] % 100;
    described.rank = given->values.count - 2;
    described.dims.count = described.rank;
    for (int32_t i = 0; i < described.rank; i++) {
        described.dims.values[i] = parts[i + 2];
    }
    opmill_tensor *const tensor = memory_new(&arguments->blocks, sizeof *tensor, 0);
    const bool lacking = arguments->lacking; /* infer needs its data too */
    make_tensor(arguments, &described, tensor);
    arguments->lacking = lacking;
    return tensor;
}

/* A tensor of given dims and contents, in memory of its own. */
static opmill_tensor *own_tensor(call_arguments *arguments, int64_t type, const int64_t *dims,
                                 int32_t rank, const int64_t *values) {
    call_tensor described = {.content = CONTENT_VALUES, .values = {.count = 1, .values = {1}}};
    const bool lacking = arguments->lacking;
    described.type = type < INT32_MIN || type > INT32_MAX ? -1 : (int32_t)type;
    described.rank = described.dims.count = rank;
    for (int32_t i = 0; i < rank; i++) {
        described.dims.values[i] = dims[i];
    }
    opmill_tensor *const tensor = memory_new(&arguments->blocks, sizeof *tensor, 0);
    const int64_t count = make_tensor(arguments, &described, tensor);
    arguments->lacking = lacking;
    if (values != NULL && count > 0) {
        memcpy(tensor->data, values, (size_t)count * sizeof *values);
    }
    return tensor;
}

/* An attribute that is a sparse tensor, as seeds.c lists its parts; NULL where some are missing. */
static const opmill_sparse_tensor *make_sparse_attribute(call_arguments *arguments,
                                                         const call_attribute *given) {
    const int64_t *const parts = given->values.values;
    const int64_t left = given->values.count - 4;
    if (given->number != given->values.count || left < 0 || parts[3] < 0 || parts[3] > 8 ||
        parts[3] > left || parts[1] < 0 || parts[1] > CALL_VALUES ||
        parts[1] * (parts[2] != 0 ? parts[3] : 1) != left - parts[3]) {
        return NULL;
    }
    const int32_t rank = (int32_t)parts[3];
    const int64_t shape[] = {parts[1], rank};
    opmill_sparse_tensor *const sparse = memory_new(&arguments->blocks, sizeof *sparse, 0);
    int64_t *const dims = memory_new(&arguments->blocks, (size_t)rank * sizeof *dims, 0);
    memcpy(dims, parts + 4, (size_t)rank * sizeof *dims);
    sparse->dims = dims;
    sparse->rank = rank;
    sparse->values = own_tensor(arguments, parts[0], shape, 1, NULL);
    sparse->indices =
        own_tensor(arguments, OPMILL_INT64, shape, parts[2] != 0 ? 2 : 1, parts + 4 + rank);
    return sparse;
}

static void make_attribute(call_arguments *arguments, unsigned char *members, const call *from,
                           const call_attribute *given) {
    const opmill_attribute *const attribute = &from->operator->attributes[given->index];
    unsigned char *const member = members + attribute->offset;
    if (attribute->kind == OPMILL_KIND_INT) {
        memcpy(member, &given->number, sizeof given->number);
        if (attribute->optional != 0) {
            ((opmill_int *)(void *)member)->present = 1;
        }
    } else if (attribute->kind == OPMILL_KIND_FLOAT) {
        const uint32_t bits = (uint32_t)given->number;
        memcpy(member, &bits, sizeof bits);
        if (attribute->optional != 0) {
            ((opmill_float *)(void *)member)->present = 1;
        }
    } else if (attribute->kind == OPMILL_KIND_STRING) {
        char *text = NULL;
        if (given->length >= 0) {
            text = memory_new(&arguments->blocks, (size_t)given->length + 1, 0);
            memcpy(text, given->text, (size_t)given->length + 1);
        }
        memcpy(member, &text, sizeof text);
    } else if (attribute->kind == OPMILL_KIND_FLOATS) {
        opmill_floats list = {NULL, given->number};
        if (list.count == given->values.count) {
            float *const values =
                memory_new(&arguments->blocks, (size_t)list.count * sizeof(float), 0);
            for (int64_t i = 0; i < list.count; i++) {
                const uint32_t bits = (uint32_t)given->values.values[i];
                memcpy(&values[i], &bits, sizeof bits);
            }
            list.values = values;
        }
        memcpy(member, &list, sizeof list);
    } else if (attribute->kind == OPMILL_KIND_STRINGS) {
        const opmill_strings list = split(arguments, given);
        memcpy(member, &list, sizeof list);
    } else if (attribute->kind == OPMILL_KIND_SPARSE_TENSOR) {
        const opmill_sparse_tensor *const sparse = make_sparse_attribute(arguments, given);
        memcpy(member, &sparse, sizeof sparse);
    } else if (attribute->kind == OPMILL_KIND_TENSOR) {
        const opmill_tensor *const tensor = make_tensor_attribute(arguments, given);
        memcpy(member, &tensor, sizeof tensor);
    } else if (attribute->kind == OPMILL_KIND_INTS) {
        opmill_ints list = {NULL, given->number};
        if (list.count == given->values.count) {
            const size_t size = (size_t)list.count * sizeof(int64_t);
            int64_t *const values = memory_new(&arguments->blocks, size, 0);
            memcpy(values, given->values.values, size);
            list.values = values;
        }
        memcpy(member, &list, sizeof list);
    }
}

void arguments_begin(call_arguments *arguments, const call *from) {
    const size_t size = from->operator->attributes_size;
    arguments->blocks.count = 0;
    arguments->lacking = false;
    arguments->attributes = NULL;
    make_inputs(arguments, from);
    if ((from->spoiled & CALL_NO_ATTRIBUTES) == 0 && from->operator->defaults != NULL) {
        unsigned char *const members = memory_new(&arguments->blocks, size, 0);
        memcpy(members, from->operator->defaults, size);
        for (int32_t i = 0; i < from->attribute_count; i++) {
            make_attribute(arguments, members, from, &from->attributes[i]);
        }
        arguments->attributes = members;
    }
    memory_seal(&arguments->blocks);
}

void arguments_end(call_arguments *arguments) { memory_free(&arguments->blocks); }

/* Part i of a tensor, of which a complex element has two. */
static double part_at(const opmill_tensor *x, int64_t i) {
    return type_parts(x->type) > 1 ? get_real(x->data, x->type, i) : number_at(x, i);
}

bool same_elements(const opmill_tensor *a, const opmill_tensor *b, double rtol, double atol) {
    const int64_t count = count_of(a->dims, a->rank);
    if (count == 0 || memcmp(a->data, b->data, type_bytes(a->type, count)) == 0) {
        return true;
    }
    for (int64_t k = 0; k < count * type_parts(a->type); k++) {
        const double x = part_at(a, k), y = part_at(b, k);
        const bool both_nan = isnan(x) && isnan(y);
        if (!both_nan && x != y && !(fabs(x - y) <= atol + rtol * fabs(y))) {
            return false;
        }
    }
    return true;
}
