/* ZipMap, CastMap and DictVectorizer, whose maps no case can state: values that were worked out by
 * hand, and maps that are refused before anything is read outside of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "opmill/operators.h"

enum { MAX_ITEMS = 8 };

/* A map with room for some items. */
typedef struct some_map {
    opmill_tensor keys, values, map;
    int64_t length, two;
    const opmill_tensor *parts[2];
} some_map;

static void *allocate(void *user, size_t bytes) { return *(void **)user = malloc(bytes); }

static void set_map(some_map *one, int32_t type, const void *keys, const void *values,
                    int64_t length) {
    one->length = length;
    one->two = 2;
    const int32_t value = type % OPMILL_SEQUENCE;
    one->keys = (opmill_tensor){(void *)keys, &one->length, 1,
                                type - value == OPMILL_MAP_STRING ? OPMILL_STRING : OPMILL_INT64};
    one->values = (opmill_tensor){(void *)values, &one->length, 1, value};
    one->parts[0] = &one->keys;
    one->parts[1] = &one->values;
    one->map = (opmill_tensor){one->parts, &one->two, 1, type};
}

/* An operator with maps; NULL in a library without it. */
static const opmill_operator *found(const char *name) {
    return opmill_find_operator("ai.onnx.ml", name, 1);
}

/* What maps of ZipMap have, beside the attributes. */
typedef struct zip_attributes {
    opmill_ints integers;
    opmill_strings strings;
} zip_attributes;

static void check_zip(int32_t rank, const zip_attributes *attributes, int64_t rows,
                      const int64_t *keys, const char *const *words, const float *wanted,
                      int64_t count) {
    static const float X[] = {0.25F, 0.75F, 1, 0};
    const opmill_operator *const operator = found("ZipMap");
    const int64_t dims[] = {rows, 2};
    const opmill_tensor x = {(void *)X, rank == 2 ? dims : dims + 1, rank, OPMILL_FLOAT};
    const opmill_tensor *const inputs[] = {&x}, *maps[2] = {NULL, NULL};
    opmill_shape shape;
    opmill_context context = OPMILL_CONTEXT_INIT;
    void *block = NULL;
    const opmill_block_allocator sequences = {&block, allocate};
    const int32_t type = (words != NULL ? OPMILL_MAP_STRING : OPMILL_MAP_INT64) + OPMILL_FLOAT;
    check(opmill_infer(operator, inputs, 1, attributes, &shape, 1, &context) == OPMILL_OK, "infer");
    check(shape.rank == 1 && shape.dims[0] == rows && shape.type == OPMILL_SEQUENCE + type,
          "the type and the shape");
    opmill_tensor z = {maps, shape.dims, 1, shape.type};
    opmill_tensor *const outputs[] = {&z};
    check(opmill_run(operator, inputs, 1, attributes, outputs, 1, &context) ==
              (rows > 0 ? OPMILL_ERROR_CALL : OPMILL_OK),
          "a call without an allocator is refused");
    context.sequences = &sequences;
    const int code = opmill_run(operator, inputs, 1, attributes, outputs, 1, &context);
    check(code == OPMILL_OK, "the code");
    for (int64_t i = 0; code == OPMILL_OK && i < rows; i++) {
        const opmill_tensor *const *const parts = maps[i]->data;
        check(maps[i]->type == type && maps[i]->rank == 1 && maps[i]->dims[0] == 2, "a map");
        check(parts[0]->rank == 1 && parts[0]->dims[0] == count, "the number of keys");
        check(parts[1]->rank == 1 && parts[1]->dims[0] == count, "the number of values");
        check(parts[1]->type == OPMILL_FLOAT, "the type of the values");
        for (int64_t k = 0; k < count; k++) {
            check(words != NULL ? strcmp(((const char *const *)parts[0]->data)[k], words[k]) == 0
                                : ((const int64_t *)parts[0]->data)[k] == keys[k],
                  "a key");
            check(((const float *)parts[1]->data)[k] == wanted[i * count + k], "a value");
        }
    }
    free(block);
}

static void check_zips(void) {
    static const char *const words[] = {"b", "a"}, *const sorted[] = {"a", "b"};
    static const int64_t integers[] = {7, INT64_MIN}, ascending[] = {INT64_MIN, 7};
    static const int64_t equal[] = {1, 1};
    static const float swapped[] = {0.75F, 0.25F, 0, 1}, last[] = {0.75F, 0};
    const zip_attributes by_words = {OPMILL_INTS_ABSENT, {words, 2}};
    const zip_attributes by_integers = {{integers, 2}, OPMILL_STRINGS_ABSENT};
    const zip_attributes by_equal = {{equal, 2}, OPMILL_STRINGS_ABSENT};
    about("ZipMap-1");
    check_zip(2, &by_words, 2, NULL, sorted, swapped, 2);
    check_zip(2, &by_integers, 2, ascending, NULL, swapped, 2);
    check_zip(1, &by_words, 1, NULL, sorted, swapped, 2);
    check_zip(2, &by_words, 0, NULL, sorted, swapped, 2);
    check_zip(2, &by_equal, 2, equal, NULL, last, 1);
}

/* Labels in any order, of which many occur several times: each key has its last column. */
static void check_many_labels(void) {
    enum { COLUMNS = 1000, KEYS = 97 };
    static int64_t labels[COLUMNS];
    static float row[COLUMNS], wanted[KEYS];
    const opmill_operator *const operator = found("ZipMap");
    const int64_t dims[] = {COLUMNS}, one[] = {1};
    const zip_attributes attributes = {{labels, COLUMNS}, OPMILL_STRINGS_ABSENT};
    for (int i = 0; i < COLUMNS; i++) {
        labels[i] = (int64_t)i * 7919 % 10007 % KEYS;
        row[i] = (float)i;
        wanted[labels[i]] = (float)i;
    }
    const opmill_tensor x = {row, dims, 1, OPMILL_FLOAT}, *const inputs[] = {&x}, *maps[1];
    opmill_tensor z = {maps, one, 1, OPMILL_SEQUENCE + OPMILL_MAP_INT64 + OPMILL_FLOAT};
    opmill_tensor *const outputs[] = {&z};
    opmill_context context = OPMILL_CONTEXT_INIT;
    void *block = NULL;
    const opmill_block_allocator sequences = {&block, allocate};
    context.sequences = &sequences;
    about("ZipMap-1 of %d labels", COLUMNS);
    const int code = opmill_run(operator, inputs, 1, &attributes, outputs, 1, &context);
    check(code == OPMILL_OK, "the code");
    if (code == OPMILL_OK) {
        const opmill_tensor *const *const parts = maps[0]->data;
        check(parts[0]->dims[0] == KEYS, "the number of keys");
        for (int64_t i = 0; i < KEYS && i < parts[0]->dims[0]; i++) {
            check(((const int64_t *)parts[0]->data)[i] == i, "a key");
            check(((const float *)parts[1]->data)[i] == wanted[i], "a value");
        }
    }
    free(block);
}

typedef struct cast_attributes {
    const char *cast_to, *map_form;
    int64_t max_map;
} cast_attributes;

/* A call with one row as its output. Returns the code. */
static int run_row(const opmill_operator *operator, const some_map *x, const void *attributes,
                   opmill_shape *shape, void *data, opmill_context *context) {
    const opmill_tensor *const inputs[] = {&x->map};
    int code = opmill_infer(operator, inputs, 1, attributes, shape, 1, context);
    if (code == OPMILL_OK) {
        check(shape->rank == 2 && shape->dims[0] == 1 && shape->dims[1] <= MAX_ITEMS, "one row");
        opmill_tensor y = {data, shape->dims, shape->rank, shape->type};
        opmill_tensor *const outputs[] = {&y};
        code = opmill_run(operator, inputs, 1, attributes, outputs, 1, context);
    }
    return code;
}

static void check_row(const opmill_operator *operator, const some_map *x, const void *attributes,
                      int32_t type, const void *wanted, int64_t count) {
    union {
        const char *texts[MAX_ITEMS];
        int64_t integers[MAX_ITEMS];
        double doubles[MAX_ITEMS];
        float floats[MAX_ITEMS];
    } data;
    opmill_shape shape;
    opmill_context context = OPMILL_CONTEXT_INIT;
    void *block = NULL;
    const opmill_block_allocator strings = {&block, allocate};
    context.strings = &strings;
    const int code = run_row(operator, x, attributes, &shape, &data, &context);
    if (code != OPMILL_OK) {
        fail("%s", context.error.message);
    }
    check(code == OPMILL_OK && shape.type == type && shape.dims[1] == count, "the shape");
    for (int64_t i = 0; code == OPMILL_OK && shape.type == type && i < count; i++) {
        check(type == OPMILL_STRING   ? strcmp(data.texts[i], ((const char *const *)wanted)[i]) == 0
              : type == OPMILL_INT64  ? data.integers[i] == ((const int64_t *)wanted)[i]
              : type == OPMILL_DOUBLE ? data.doubles[i] == ((const double *)wanted)[i]
                                      : data.floats[i] == ((const float *)wanted)[i],
              "an element");
    }
    free(block);
}

static void check_refused(const opmill_operator *operator, const some_map *x,
                          const void *attributes, int32_t code, const char *message) {
    char data[MAX_ITEMS * 8];
    opmill_shape shape;
    opmill_context context = OPMILL_CONTEXT_INIT;
    about("%s", message);
    check(run_row(operator, x, attributes, &shape, data, &context) == code, "the code");
    if (strcmp(context.error.message, message) != 0) {
        fail("'%s'", context.error.message);
    }
    check(context.error.code == code, "the error");
}

static void check_casts(void) {
    static const int64_t keys[] = {1, 3}, three[] = {0, 1, 2}, negative[] = {-1};
    static const float floats[] = {2.5F, 1}, special[] = {(float)NAN, INFINITY, 1e20F};
    static const float beyond[] = {1e30F};
    static const char *const texts[] = {"-1e3", "2.5", "INFINITY"}, *const words[] = {"", "b", "c"};
    static const char *const wholes[] = {"-9223372036854775808", "+025", "0"};
    static const char *const bad[] = {"1x", "1_0", "9223372036854775808"};
    static const float sparse[] = {0, 2.5F, 0, 1}, read[] = {-1000, 2.5F, INFINITY};
    static const int64_t truncated[] = {0, 2, 0, 1}, integers[] = {INT64_MIN, 25, 0};
    static const char *const fixed[] = {"0.f", "2.500000", "0.f", "1.000000"};
    static const char *const others[] = {"nan", "inf", "100000002004087734272.000000"};
    const opmill_operator *const operator = found("CastMap");
    const cast_attributes dense[] = {
        {"TO_FLOAT", "DENSE", 1}, {"TO_INT64", "DENSE", 1}, {"TO_STRING", "DENSE", 1}};
    const cast_attributes four[] = {
        {"TO_FLOAT", "SPARSE", 4}, {"TO_INT64", "SPARSE", 4}, {"TO_STRING", "SPARSE", 4}};
    const cast_attributes two = {"TO_FLOAT", "SPARSE", 2}, none = {"TO_FLOAT", "SPARSE", 0};
    some_map x;
    about("CastMap-1");
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_FLOAT, keys, floats, 2);
    check_row(operator, &x, &dense[0], OPMILL_FLOAT, floats, 2);
    check_row(operator, &x, &four[0], OPMILL_FLOAT, sparse, 4);
    check_row(operator, &x, &four[1], OPMILL_INT64, truncated, 4);
    check_row(operator, &x, &four[2], OPMILL_STRING, fixed, 4);
    check_refused(operator, &x, &two, OPMILL_ERROR_CALL,
                  "CastMap-1: X has the key 3, expected 0 to 1 (max_map - 1)");
    check_refused(operator, &x, &none, OPMILL_ERROR_ATTRIBUTE,
                  "CastMap-1: max_map is 0, expected at least 1");
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_FLOAT, negative, beyond, 1);
    check_refused(operator, &x, &two, OPMILL_ERROR_CALL,
                  "CastMap-1: X has the key -1, expected 0 to 1 (max_map - 1)");
    check_refused(operator, &x, &dense[1], OPMILL_ERROR_CALL,
                  "CastMap-1: X[-1] is 1.00000002e+30, expected a number that fits int64");
    about("CastMap-1");
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_FLOAT, three, special, 3);
    check_row(operator, &x, &dense[2], OPMILL_STRING, others, 3);
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_FLOAT, NULL, NULL, 0);
    check_row(operator, &x, &dense[2], OPMILL_STRING, NULL, 0);
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_STRING, three, texts, 3);
    check_row(operator, &x, &dense[0], OPMILL_FLOAT, read, 3);
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_STRING, three, wholes, 3);
    check_row(operator, &x, &dense[1], OPMILL_INT64, integers, 3);
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_STRING, three, words, 3);
    check_row(operator, &x, &dense[2], OPMILL_STRING, words, 3);
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_STRING, three, bad, 1);
    check_refused(operator, &x, &dense[0], OPMILL_ERROR_CALL,
                  "CastMap-1: X[0] is '1x', expected a number");
    for (int i = 1; i < 3; i++) {
        char message[128];
        snprintf(message, sizeof message,
                 "CastMap-1: X[0] is '%s', expected an integer that fits int64", bad[i]);
        set_map(&x, OPMILL_MAP_INT64 + OPMILL_STRING, three, bad + i, 1);
        check_refused(operator, &x, &dense[1], OPMILL_ERROR_CALL, message);
    }
}

/* Six decimals, as this machine's printf writes them. */
static void check_decimals(void) {
    static const int64_t key[] = {0};
    const opmill_operator *const operator = found("CastMap");
    const cast_attributes attributes = {"TO_STRING", "DENSE", 1};
    uint32_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        float value;
        char text[64];
        const char *const texts[] = {text};
        some_map x;
        /* Random bits; every other number is near 1, where decimals count. */
        bits = bits * 1664525 + 1013904223;
        const uint32_t near = i % 2 == 0 ? bits : (bits & 0x8FFFFFFF) % 0x0D000000 + 0x35000000;
        memcpy(&value, &near, sizeof value);
        if (isnan(value)) {
            continue;
        }
        about("CastMap-1 of %a", (double)value);
        snprintf(text, sizeof text, "%.6f", (double)value);
        set_map(&x, OPMILL_MAP_INT64 + OPMILL_FLOAT, key, &value, 1);
        check_row(operator, &x, &attributes, OPMILL_STRING, texts, 1);
    }
}

typedef struct vector_attributes {
    opmill_ints integers;
    opmill_strings strings;
} vector_attributes;

static void check_vectors(void) {
    static const char *const words[] = {"a", "c", "b", "z"}, *const keys[] = {"a", "c"};
    static const char *const twice[] = {"a", "b", "a"}, *const texts[] = {"", "x"};
    static const int64_t eight[] = {4, 8}, wanted[] = {4, 8, 0, 0}, integers[] = {INT64_MIN, 2, 3};
    static const int64_t ends[] = {INT64_MIN, 3}, one[] = {1}, two_one[] = {2, 1};
    static const float floats[] = {4, 8}, fours[] = {4, 0, 4};
    static const double doubles[] = {1.5, 0.5}, row[] = {1.5, 0, 0.5};
    const opmill_operator *const operator = found("DictVectorizer");
    const vector_attributes by_words = {OPMILL_INTS_ABSENT, {words, 4}};
    const vector_attributes by_twice = {OPMILL_INTS_ABSENT, {twice, 3}};
    const vector_attributes by_integers = {{integers, 3}, OPMILL_STRINGS_ABSENT};
    const vector_attributes by_two = {{two_one, 2}, OPMILL_STRINGS_ABSENT};
    some_map x;
    about("DictVectorizer-1");
    set_map(&x, OPMILL_MAP_STRING + OPMILL_INT64, keys, eight, 2);
    check_row(operator, &x, &by_words, OPMILL_INT64, wanted, 4);
    check_refused(operator, &x, &by_integers, OPMILL_ERROR_CALL,
                  "DictVectorizer-1: X has keys of type string, expected int64 (the vocabulary)");
    about("DictVectorizer-1");
    set_map(&x, OPMILL_MAP_STRING + OPMILL_FLOAT, keys, floats, 2);
    check_row(operator, &x, &by_twice, OPMILL_FLOAT, fours, 3);
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_DOUBLE, ends, doubles, 2);
    check_row(operator, &x, &by_integers, OPMILL_DOUBLE, row, 3);
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_STRING, one, texts + 1, 1);
    check_row(operator, &x, &by_two, OPMILL_STRING, texts, 2);
    set_map(&x, OPMILL_MAP_INT64 + OPMILL_INT64, one, eight, 1);
    check_refused(operator, &x, &by_two, OPMILL_ERROR_TYPE,
                  "DictVectorizer-1: X has type map(int64, int64), expected one of map(int64, "
                  "double), map(int64, float), map(int64, string), map(string, double), "
                  "map(string, float), map(string, int64)");
}

/* Maps that are none. */
static void check_hostile(void) {
    static const char *const words[] = {"a"}, *texts[] = {"a", NULL}, *const falling[] = {"b", "a"};
    static const char *const equal[] = {"a", "a"};
    static const int64_t keys[] = {1, 3}, down[] = {3, 1}, same[] = {3, 3}, lengths[] = {1, 2, -1};
    static const float floats[] = {4, 8};
    const opmill_operator *const operator = found("DictVectorizer");
    const vector_attributes given = {{keys, 2}, OPMILL_STRINGS_ABSENT};
    const vector_attributes named = {OPMILL_INTS_ABSENT, {words, 1}};
    const int32_t type = OPMILL_MAP_INT64 + OPMILL_FLOAT;
    some_map x;
#define CHECK(change, code, message)                                                               \
    set_map(&x, type, keys, floats, 2);                                                            \
    change;                                                                                        \
    check_refused(operator, &x, &given, code, "DictVectorizer-1: " message)
    CHECK(x.map.type = OPMILL_FLOAT;
          x.map.data = (void *)floats, OPMILL_ERROR_TYPE, "X has type float, expected a map");
    CHECK(x.map.type = OPMILL_SEQUENCE + OPMILL_FLOAT, OPMILL_ERROR_TYPE,
          "X has type seq(tensor(float)), expected a map");
    CHECK(x.map.type = OPMILL_SEQUENCE + type, OPMILL_ERROR_TYPE,
          "X has type seq(map(int64, float)), expected a map");
    CHECK(x.map.type = OPMILL_MAP_INT64, OPMILL_ERROR_TYPE, "X has type unknown, expected a map");
    CHECK(x.map.rank = 0, OPMILL_ERROR_CALL, "X has rank 0, expected 1 (a map)");
    CHECK(x.map.dims = NULL, OPMILL_ERROR_CALL, "X.dims is NULL, expected an array");
    CHECK(x.two = 1, OPMILL_ERROR_CALL, "X has 1 tensors, expected 2 (the keys and the values)");
    CHECK(x.two = 3, OPMILL_ERROR_CALL, "X has 3 tensors, expected 2 at most");
    CHECK(x.map.data = NULL, OPMILL_ERROR_CALL, "X.data is NULL, expected an array");
    CHECK(x.parts[0] = NULL, OPMILL_ERROR_CALL, "X.data[0] is NULL, expected a tensor");
    CHECK(x.parts[1] = NULL, OPMILL_ERROR_CALL, "X.data[1] is NULL, expected a tensor");
    CHECK(x.parts[0] = &x.map, OPMILL_ERROR_TYPE,
          "keys of X have type map(int64, float), expected int64 (the type of the map)");
    CHECK(x.parts[1] = &x.map, OPMILL_ERROR_TYPE,
          "values of X have type map(int64, float), expected float (the type of the map)");
    CHECK(x.keys.rank = 0, OPMILL_ERROR_CALL, "keys of X have rank 0, expected 1");
    CHECK(x.values.dims = lengths, OPMILL_ERROR_CALL,
          "values of X have length 1, expected 2 (the keys)");
    CHECK(x.keys.dims = lengths, OPMILL_ERROR_CALL,
          "values of X have length 2, expected 1 (the keys)");
    CHECK(x.keys.dims = lengths + 2, OPMILL_ERROR_CALL,
          "keys of X.dims[0] is -1, expected at least 0");
    CHECK(x.keys.data = NULL, OPMILL_ERROR_CALL, "keys of X.data is NULL, expected an array");
    CHECK(x.values.data = NULL, OPMILL_ERROR_CALL, "values of X.data is NULL, expected an array");
    CHECK(x.keys.data = (void *)down, OPMILL_ERROR_CALL,
          "keys of X are not ascending at index 1, expected each above the one before it");
    CHECK(x.keys.data = (void *)same, OPMILL_ERROR_CALL,
          "keys of X are not ascending at index 1, expected each above the one before it");
#undef CHECK
#define CHECK(strings, message)                                                                    \
    set_map(&x, OPMILL_MAP_STRING + OPMILL_FLOAT, strings, floats, 2);                             \
    check_refused(operator, &x, &named, OPMILL_ERROR_CALL, "DictVectorizer-1: " message)
    CHECK(texts, "keys of X.data[1] is NULL, expected a string");
    CHECK(falling, "keys of X are not ascending at index 1, expected each above the one before it");
    CHECK(equal, "keys of X are not ascending at index 1, expected each above the one before it");
#undef CHECK
}

int main(void) {
    check(opmill_operator_count > 0, "a library without maps has other operators");
    if (found("ZipMap") != NULL) {
        check_zips();
        check_many_labels();
    }
    if (found("CastMap") != NULL) {
        check_casts();
        check_decimals();
    }
    if (found("DictVectorizer") != NULL) {
        check_vectors();
        check_hostile();
    }
    return finish("maps");
}
