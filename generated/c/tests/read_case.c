/* Reads the lines of one case of the corpus: tensors, attributes, expected outputs or the expected
 * error. */
#include "read_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphs.h"
#include "opmill/operators.h"
#include "values.h"

/* Tensors. */

/* A text that lives as long as the program, for the small numbers that are repeated as strings. */
static const char *decimal(int64_t number) {
    static char texts[1024][5];
    if (number < 0 || number >= 1024) {
        fputs("a case repeats a number above 1023 as a string\n", stderr);
        abort();
    }
    snprintf(texts[number], sizeof texts[number], "%d", (int)number);
    return texts[number];
}

void case_fill(const opmill_tensor *tensor, const case_tensor *from) {
    const int64_t count = count_of(tensor->dims, tensor->rank);
    const int64_t parts = type_parts(from->type), bit_parts = type_parts(tensor->type);
    memset(tensor->data, 0, type_bytes(tensor->type, count));
    for (int64_t k = 0; k < count; k++) {
        if (tensor->type == OPMILL_STRING) {
            ((const char **)tensor->data)[k] = from->texts != NULL     ? from->texts[k]
                                               : from->numbers != NULL ? decimal(from->numbers[k])
                                                                       : "";
        } else if (from->numbers != NULL && parts == 1) {
            set_whole(tensor->data, tensor->type, k, from->numbers[k]);
        } else {
            for (int64_t part = bit_parts * k; part < bit_parts * (k + 1); part++) {
                if (from->bits != NULL) {
                    set_bits(tensor->data, tensor->type, part, from->bits[part]);
                } else if (from->numbers != NULL || from->reals != NULL) {
                    set_real(tensor->data, tensor->type, part,
                             from->reals != NULL ? from->reals[part] : (double)from->numbers[part]);
                }
            }
        }
    }
}

static const opmill_tensor *tensor_in_memory(const case_tensor *from) {
    opmill_tensor *const result = corpus_memory(1, sizeof *result);
    const int64_t count = count_of(from->dims, from->rank);
    *result = (opmill_tensor){corpus_memory(type_bytes(from->type, count), 1), from->dims,
                              from->rank, from->type};
    case_fill(result, from);
    return result;
}

const opmill_tensor *tensor_of_text(char *text) {
    corpus_file line = {.path = "a graph", .at = text};
    case_tensor tensor;
    corpus_tensor(&line, corpus_need(&line), &tensor);
    return tensor_in_memory(&tensor);
}

/* A sequence, whose tensors are on the lines that follow. Its type is that of the first one, if the
 * line does not name one; a call of none but tensors of other types is refused. */
static void need_sequence(corpus_file *file, case_tensor *sequence) {
    const char *const word = corpus_need(file);
    int64_t *const count = corpus_memory(1, sizeof *count);
    if (!corpus_whole(corpus_need(file), count) || *count < 0) {
        corpus_refuse(file, "expected the number of tensors");
    }
    case_tensor *const items = corpus_memory((size_t)*count, sizeof *items);
    sequence->type = OPMILL_SEQUENCE;
    for (int32_t i = OPMILL_FLOAT; i <= OPMILL_FLOAT6E3M2; i++) {
        sequence->type += corpus_is(word, type_name(i)) ? i : 0;
    }
    for (int64_t i = 0; i < *count; i++) {
        if (!corpus_line(file) || !corpus_is(corpus_need(file), "tensor")) {
            corpus_refuse(file, "expected a tensor");
        }
        corpus_tensor(file, corpus_need(file), &items[i]);
        sequence->type += sequence->type == OPMILL_SEQUENCE ? items[i].type : 0;
    }
    sequence->items = items;
    sequence->dims = count;
    sequence->rank = 1;
}

/* Adds a tensor, a sequence or an optional without contents to those of a case. */
static void add_tensor(corpus_file *file, case_tensor *tensors, int32_t *count) {
    (void)corpus_need(file); /* the name: tensors are in the order of the schema */
    const char *const word = corpus_need(file);
    if (*count == MAX_TENSORS) {
        corpus_refuse(file, "more tensors than a test takes");
    }
    case_tensor *const tensor = &tensors[(*count)++];
    memset(tensor, 0, sizeof *tensor);
    if (corpus_is(word, "empty")) {
        static const int64_t none[] = {0};
        *tensor = (case_tensor){.type = OPMILL_OPTIONAL_TYPE, .rank = 1, .dims = none};
    } else if (corpus_is(word, "sequence")) {
        need_sequence(file, tensor);
    } else if (!corpus_is(word, "absent")) {
        corpus_tensor(file, word, tensor);
    }
}

/* Attributes. */

static int64_t need_whole(corpus_file *file, given_attribute *given) {
    int64_t number = 0;
    const char *const word = corpus_need(file);
    if (!corpus_whole(word, &number) || (number < 0) != (word[0] == '-')) {
        given->kind = 0;
    }
    return number;
}

static float need_real(corpus_file *file) { return (float)strtod(corpus_need(file), NULL); }

static int64_t words_left(const corpus_file *file) {
    int64_t count = 0;
    for (const char *at = file->at; *at != '\0'; at++) {
        count += *at != ' ' && (at == file->at || at[-1] == ' ');
    }
    return count; /* not fewer than there are, as texts may have spaces */
}

static const case_tensor *need_tensor(corpus_file *file, case_tensor *tensor) {
    corpus_tensor(file, corpus_need(file), tensor);
    return tensor;
}

static const opmill_sparse_tensor *need_sparse(corpus_file *file) {
    opmill_sparse_tensor *const result = corpus_memory(1, sizeof *result);
    case_tensor tensor;
    result->rank = corpus_dims(file, &result->dims);
    for (int part = 0; part < 2; part++) {
        if (!corpus_line(file) || !corpus_is(corpus_need(file), "tensor")) {
            corpus_refuse(file, "expected a tensor");
        }
        const opmill_tensor *const read = tensor_in_memory(need_tensor(file, &tensor));
        *(part == 0 ? &result->values : &result->indices) = read;
    }
    return result;
}

static void need_list(corpus_file *file, given_attribute *given) {
    const size_t capacity = (size_t)words_left(file);
    int64_t count = 0;
    float *const reals = corpus_memory(capacity, sizeof *reals);
    int64_t *const wholes = corpus_memory(capacity, sizeof *wholes);
    const char **const texts = corpus_memory(capacity, sizeof *texts);
    const int32_t kind = given->kind;
    for (; words_left(file) > 0; count++) {
        if (kind == OPMILL_KIND_FLOATS) {
            reals[count] = need_real(file);
        } else if (kind == OPMILL_KIND_INTS) {
            wholes[count] = need_whole(file, given);
        } else {
            texts[count] = corpus_need(file);
        }
    }
    if (kind == OPMILL_KIND_FLOATS) {
        given->value.reals = (opmill_floats){count > 0 ? reals : NULL, count};
    } else if (kind == OPMILL_KIND_INTS) {
        given->value.wholes = (opmill_ints){count > 0 ? wholes : NULL, count};
    } else {
        given->value.texts = (opmill_strings){count > 0 ? texts : NULL, count};
    }
}

static void add_attribute(corpus_file *file, read_case *current) {
    static const struct {
        const char *word;
        int32_t kind;
    } KINDS[] = {
        {"float", OPMILL_KIND_FLOAT},     {"int", OPMILL_KIND_INT},
        {"string", OPMILL_KIND_STRING},   {"tensor", OPMILL_KIND_TENSOR},
        {"floats", OPMILL_KIND_FLOATS},   {"ints", OPMILL_KIND_INTS},
        {"strings", OPMILL_KIND_STRINGS}, {"sparse", OPMILL_KIND_SPARSE_TENSOR},
        {"graph", OPMILL_KIND_GRAPH},
    };
    if (current->attribute_count == MAX_ATTRIBUTES) {
        corpus_refuse(file, "more attributes than a test takes");
    }
    given_attribute *const given = &current->attributes[current->attribute_count++];
    case_tensor tensor;
    memset(given, 0, sizeof *given);
    given->name = corpus_need(file);
    const char *const word = corpus_need(file);
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        given->kind = corpus_is(word, KINDS[i].word) ? KINDS[i].kind : given->kind;
    }
    switch (given->kind) {
    case OPMILL_KIND_FLOAT:
        given->value.real = need_real(file);
        break;
    case OPMILL_KIND_INT:
        given->value.whole = need_whole(file, given);
        break;
    case OPMILL_KIND_STRING:
        given->value.text = corpus_need(file);
        break;
    case OPMILL_KIND_TENSOR:
        given->value.tensor = tensor_in_memory(need_tensor(file, &tensor));
        break;
    case OPMILL_KIND_SPARSE_TENSOR:
        given->value.sparse = need_sparse(file);
        break;
    case OPMILL_KIND_GRAPH:
        given->value.graph = graph_of_json(file->at);
        current->is_callable = current->is_callable && given->value.graph != NULL;
        break;
    case 0: /* what no attribute of C is */
        break;
    default:
        need_list(file, given);
        break;
    }
}

/* Lines. */

static int32_t code_of(const corpus_file *file, const char *error) {
    static const char *const ERRORS[] = {"OpError", "TypeConstraintError", "ShapeError",
                                         "AttributeValueError"};
    for (int32_t i = 0; i < 4; i++) {
        if (corpus_is(error, ERRORS[i])) {
            return OPMILL_ERROR_CALL + i;
        }
    }
    corpus_refuse(file, "expected the class of an error");
    return 0;
}

void read_case_line(corpus_file *file, read_case *current, const char *word) {
    int64_t number = 0;
    if (corpus_is(word, "versions")) {
        for (char *one = corpus_word(file); one != NULL; one = corpus_word(file)) {
            if (!corpus_whole(one, &number) || current->version_count == MAX_VERSIONS) {
                corpus_refuse(file, "expected versions");
            }
            current->versions[current->version_count++] = (int32_t)number;
        }
    } else if (corpus_is(word, "each")) {
        (void)corpus_need(file); /* the type variable */
        for (char *one = corpus_word(file);
             one != NULL && current->repeated_count < 2 * MAX_TENSORS; one = corpus_word(file)) {
            current->repeated_for[current->repeated_count++] = one;
        }
    } else if (corpus_is(word, "repeated")) {
        current->example.is_repeated = true;
    } else if (corpus_is(word, "attribute")) {
        add_attribute(file, current);
    } else if (corpus_is(word, "input")) {
        add_tensor(file, current->inputs, &current->example.input_count);
    } else if (corpus_is(word, "output")) {
        add_tensor(file, current->outputs, &current->example.output_count);
    } else if (corpus_is(word, "origin")) {
        current->example.is_drawn = corpus_is(corpus_need(file), "drawn");
    } else if (corpus_is(word, "about") || corpus_is(word, "rests_on")) {
        /* for readers of the corpus */
    } else if (corpus_is(word, "outputs")) {
        (void)corpus_whole(corpus_need(file), &number);
        current->requested_outputs = (int32_t)number;
    } else if (corpus_is(word, "by_kernel")) {
        current->reject.by_kernel = true;
    } else if (corpus_is(word, "raises")) {
        current->reject.code = code_of(file, corpus_need(file));
        current->reject.message = corpus_word(file);
    } else {
        corpus_refuse(file, "an unknown line");
    }
}

static const case_tensor *copied(const case_tensor *tensors, int32_t count) {
    case_tensor *const result = corpus_memory((size_t)count, sizeof *result);
    memcpy(result, tensors, (size_t)count * sizeof *result);
    return result;
}

void read_case_begin(corpus_file *file, read_case *current, bool is_example) {
    memset(current, 0, sizeof *current);
    file->has_nul = false;
    current->example.name = current->reject.name = corpus_need(file);
    current->is_example = is_example;
    current->is_callable = true;
    current->requested_outputs = -1;
}

void read_case_end(const corpus_file *file, read_case *current) {
    current->is_callable = current->is_callable && !file->has_nul;
    current->example.inputs = copied(current->inputs, current->example.input_count);
    current->example.outputs = copied(current->outputs, current->example.output_count);
}
