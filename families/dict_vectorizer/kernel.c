/* DictVectorizer: looks up each key of the vocabulary in the keys of the map, which ascend. */
#include "families/dict_vectorizer/kernel.h"

#include <string.h>

#include "runtime/call/driver.h"
#include "runtime/call/message.h"

static const opmill_tensor *vocabulary_of(const opmill_dict_vectorizer_plan *plan) {
    return plan->int64_vocabulary.type == OPMILL_INT64 ? &plan->int64_vocabulary
                                                       : &plan->string_vocabulary;
}

int opmill_dict_vectorizer_shapes(const opmill_tensor *X, opmill_shape *Y,
                                  const opmill_dict_vectorizer_plan *plan,
                                  opmill_context *context) {
    const opmill_tensor *const vocabulary = vocabulary_of(plan);
    if (opmill_key_type(X->type) != vocabulary->type) {
        opmill_message message = opmill_contents_begin(context);
        opmill_put_text(&message, "X has keys of type ");
        opmill_put_text(&message, opmill_type_name(opmill_key_type(X->type)));
        opmill_put_text(&message, ", expected ");
        opmill_put_text(&message, opmill_type_name(vocabulary->type));
        opmill_put_text(&message, " (the vocabulary)");
        return OPMILL_ERROR_CALL;
    }
    Y->type = opmill_element_type(X->type);
    Y->rank = 2;
    Y->dims[0] = 1;
    Y->dims[1] = vocabulary->dims[0];
    return OPMILL_OK;
}

/* Below 0 if a word of the vocabulary comes before a key, 0 if it equals it. */
static int compare(const opmill_tensor *vocabulary, int64_t word, const opmill_tensor *keys,
                   int64_t key) {
    if (keys->type == OPMILL_STRING) {
        return strcmp(((const char *const *)vocabulary->data)[word],
                      ((const char *const *)keys->data)[key]);
    }
    const int64_t a = ((const int64_t *)vocabulary->data)[word];
    const int64_t b = ((const int64_t *)keys->data)[key];
    return (a > b) - (a < b);
}

/* The position of a word of the vocabulary among the keys; -1 where it is none. */
static int64_t position_of(const opmill_tensor *vocabulary, int64_t word,
                           const opmill_tensor *keys) {
    int64_t low = 0, high = keys->dims[0];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const int order = compare(vocabulary, word, keys, middle);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return -1;
}

int opmill_dict_vectorizer_compute(const opmill_tensor *X, opmill_tensor *Y,
                                   const opmill_dict_vectorizer_plan *plan,
                                   opmill_context *context) {
    static const char *const empty = "";
    const opmill_tensor *const vocabulary = vocabulary_of(plan), *const keys = opmill_call_keys(X);
    const unsigned char *const from = opmill_call_map_values(X)->data;
    const size_t bytes = (size_t)opmill_type_bytes(Y->type);
    unsigned char *to = Y->data;
    (void)context;
    for (int64_t i = 0; i < vocabulary->dims[0]; i++, to += bytes) {
        const int64_t position = position_of(vocabulary, i, keys);
        if (position >= 0) {
            memcpy(to, from + (size_t)position * bytes, bytes);
        } else if (Y->type == OPMILL_STRING) {
            memcpy(to, &empty, bytes);
        } else {
            memset(to, 0, bytes);
        }
    }
    return OPMILL_OK;
}
