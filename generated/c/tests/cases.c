#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "corpus.h"
#include "opmill/operators.h"
#include "values.h"

enum { MAX_ATTRIBUTES = 32, MAX_VERSIONS = 64 };

/* An attribute of a case: a member of a struct, of the kind that the case gives. */
typedef struct given_attribute {
    const char *name;
    int32_t kind; /* of enum opmill_kind; 0 for what no struct holds */
    union {
        float real;
        int64_t whole;
        const char *text;
        const opmill_tensor *tensor;
        const opmill_sparse_tensor *sparse;
        opmill_floats reals;
        opmill_ints wholes;
        opmill_strings texts;
    } value;
} given_attribute;

/* A case, before it is given to the versions that have it. */
typedef struct read_case {
    case_example example; /* a reject has the same parts */
    case_reject reject;
    bool is_example, is_sayable;
    int32_t asked; /* by a reject; -1 where it does not say */
    int32_t versions[MAX_VERSIONS], version_count;
    given_attribute attributes[MAX_ATTRIBUTES];
    int32_t attribute_count;
    case_tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];
    const char *repeated_for[2 * MAX_TENSORS]; /* the parameters of the type variable */
    int32_t repeated_count;
} read_case;

static case_table *tables;
static int32_t table_count = -1;

int32_t cases_every(void) {
    const char *const given = getenv("OPMILL_CASES_EVERY");
    const int every = given != NULL ? atoi(given) : 1;
    return every > 1 ? every : 1;
}

/* The tables of an operator's versions. */

static const opmill_operator *version_of(const opmill_operator *any, int32_t number) {
    return opmill_find_operator(any->domain, any->name, number);
}

static case_table *own_table(const opmill_operator *operator) {
    for (int32_t i = 0; operator != NULL && i < opmill_operator_count; i++) {
        if (opmill_operators[i] == operator) {
            return &tables[i];
        }
    }
    return NULL;
}

/* Room for one more element of an array, which grows by doubling. */
static void *grown(void *array, int32_t count, size_t size) {
    if ((count & (count - 1)) != 0) {
        return array;
    }
    void *const larger = realloc(array, (count > 0 ? 2 * (size_t)count : 1) * size);
    if (larger == NULL) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return larger;
}

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
    opmill_tensor *const made = corpus_memory(1, sizeof *made);
    const int64_t count = count_of(from->dims, from->rank);
    *made = (opmill_tensor){corpus_memory(type_bytes(from->type, count), 1), from->dims, from->rank,
                            from->type};
    case_fill(made, from);
    return made;
}

/* Adds a tensor to those of a case; what is none takes lines of its own, and cannot be called. */
static void add_tensor(corpus_file *file, read_case *made, case_tensor *tensors, int32_t *count) {
    (void)corpus_need(file); /* the name: tensors are in the order of the schema */
    const char *const word = corpus_need(file);
    if (*count == MAX_TENSORS) {
        corpus_refuse(file, "more tensors than a test takes");
    }
    case_tensor *const tensor = &tensors[(*count)++];
    memset(tensor, 0, sizeof *tensor);
    if (corpus_is(word, "sequence") || corpus_is(word, "empty")) {
        made->is_sayable = false;
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
    return count; /* at least as many as there are, as texts may have spaces */
}

static const case_tensor *need_tensor(corpus_file *file, case_tensor *tensor) {
    corpus_tensor(file, corpus_need(file), tensor);
    return tensor;
}

static const opmill_sparse_tensor *need_sparse(corpus_file *file) {
    opmill_sparse_tensor *const made = corpus_memory(1, sizeof *made);
    case_tensor tensor;
    made->rank = corpus_dims(file, &made->dims);
    for (int part = 0; part < 2; part++) {
        if (!corpus_line(file) || !corpus_is(corpus_need(file), "tensor")) {
            corpus_refuse(file, "expected a tensor");
        }
        const opmill_tensor *const read = tensor_in_memory(need_tensor(file, &tensor));
        *(part == 0 ? &made->values : &made->indices) = read;
    }
    return made;
}

static void need_list(corpus_file *file, given_attribute *given) {
    const size_t most = (size_t)words_left(file);
    int64_t count = 0;
    float *const reals = corpus_memory(most, sizeof *reals);
    int64_t *const wholes = corpus_memory(most, sizeof *wholes);
    const char **const texts = corpus_memory(most, sizeof *texts);
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

static void add_attribute(corpus_file *file, read_case *made) {
    static const struct {
        const char *word;
        int32_t kind;
    } KINDS[] = {
        {"float", OPMILL_KIND_FLOAT},     {"int", OPMILL_KIND_INT},
        {"string", OPMILL_KIND_STRING},   {"tensor", OPMILL_KIND_TENSOR},
        {"floats", OPMILL_KIND_FLOATS},   {"ints", OPMILL_KIND_INTS},
        {"strings", OPMILL_KIND_STRINGS}, {"sparse", OPMILL_KIND_SPARSE_TENSOR},
    };
    if (made->attribute_count == MAX_ATTRIBUTES) {
        corpus_refuse(file, "more attributes than a test takes");
    }
    given_attribute *const given = &made->attributes[made->attribute_count++];
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
    case 0: /* a graph, or what no attribute of C is */
        break;
    default:
        need_list(file, given);
        break;
    }
}

/* Sets a member of a version's struct. */
static void set_member(unsigned char *members, const opmill_attribute *attribute,
                       const given_attribute *given) {
    unsigned char *const member = members + attribute->offset;
    if (attribute->optional != 0 && given->kind == OPMILL_KIND_INT) {
        *(opmill_int *)(void *)member = (opmill_int){given->value.whole, 1};
    } else if (attribute->optional != 0 && given->kind == OPMILL_KIND_FLOAT) {
        *(opmill_float *)(void *)member = (opmill_float){given->value.real, 1};
    } else if (given->kind == OPMILL_KIND_INT) {
        memcpy(member, &given->value.whole, sizeof given->value.whole);
    } else if (given->kind == OPMILL_KIND_FLOAT) {
        memcpy(member, &given->value.real, sizeof given->value.real);
    } else if (given->kind == OPMILL_KIND_FLOATS) {
        memcpy(member, &given->value.reals, sizeof given->value.reals);
    } else if (given->kind == OPMILL_KIND_INTS) {
        memcpy(member, &given->value.wholes, sizeof given->value.wholes);
    } else if (given->kind == OPMILL_KIND_STRINGS) {
        memcpy(member, &given->value.texts, sizeof given->value.texts);
    } else if (given->kind == OPMILL_KIND_STRING) {
        memcpy(member, &given->value.text, sizeof given->value.text);
    } else if (given->kind == OPMILL_KIND_TENSOR) {
        memcpy(member, &given->value.tensor, sizeof given->value.tensor);
    } else {
        memcpy(member, &given->value.sparse, sizeof given->value.sparse);
    }
}

/* The struct of a version with what a case gives, NULL where it gives nothing; false where the
 * struct cannot have it. */
static bool build_attributes(const opmill_operator *operator, const read_case *made,
                             const void **attributes) {
    *attributes = NULL;
    if (made->attribute_count == 0) {
        return true;
    }
    unsigned char *const members = corpus_memory(operator->attributes_size, 1);
    int32_t known = 0;
    if (operator->attributes_size > 0) {
        memcpy(members, operator->defaults, operator->attributes_size);
    }
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        const opmill_attribute *const attribute = &operator->attributes[i];
        bool is_given = false;
        for (int32_t k = 0; k < made->attribute_count; k++) {
            const given_attribute *const given = &made->attributes[k];
            if (corpus_is(given->name, attribute->name) && given->kind == attribute->kind) {
                set_member(members, attribute, given);
                is_given = true;
                known++;
            }
        }
        if (attribute->required != 0 && !is_given) {
            return false; /* a struct has something there */
        }
    }
    *attributes = members;
    return known == made->attribute_count;
}

/* Cases. */

static bool has_gap(const opmill_operator *operator, const case_tensor *tensors, int32_t count) {
    for (int32_t i = 0; i < operator->gap_count; i++) {
        for (int32_t k = 0; k < count; k++) {
            if (tensors[k].type == operator->gaps[i].type) {
                return true;
            }
        }
    }
    return false;
}

/* The type variable of the inputs that are repeated in each type, counted from 1. */
static int32_t repeated_variable(const opmill_operator *operator, const read_case *made) {
    for (int32_t i = 0; i < made->repeated_count; i++) {
        for (int32_t k = 0; k < operator->input_count; k++) {
            if (corpus_is(made->repeated_for[i], operator->inputs[k].name)) {
                return operator->inputs[k].variable + 1;
            }
        }
    }
    return 0;
}

/* The number of outputs that a call asks for that does not say. */
static int32_t usual_outputs(const opmill_operator *operator) {
    const int32_t needed = least_outputs(operator);
    const bool first_is_optional =
        operator->output_count > 0 && operator->outputs[0].option == OPMILL_OPTIONAL;
    return needed == 0 && first_is_optional ? 1 : needed;
}

static void give_to(case_table *table, const read_case *made) {
    const opmill_operator *const operator = table->operator;
    const void *attributes;
    const bool has_attributes = build_attributes(operator, made, &attributes);
    const bool computes =
        !made->is_example || !(has_gap(operator, made->inputs, made->example.input_count) ||
                               has_gap(operator, made->outputs, made->example.output_count));
    if (!made->is_sayable || !has_attributes || !computes) {
        table->left_out++;
        return;
    }
    if (made->is_example) {
        table->examples = grown(table->examples, table->example_count, sizeof *table->examples);
        case_example *const added = &table->examples[table->example_count++];
        *added = made->example;
        added->attributes = attributes;
        added->each_type = repeated_variable(operator, made);
    } else {
        table->rejects = grown(table->rejects, table->reject_count, sizeof *table->rejects);
        case_reject *const added = &table->rejects[table->reject_count++];
        *added = made->reject;
        added->inputs = made->example.inputs;
        added->input_count = made->example.input_count;
        added->attributes = attributes;
        added->output_count = made->asked >= 0 ? made->asked : usual_outputs(operator);
    }
}

static const case_tensor *copied(const case_tensor *tensors, int32_t count) {
    case_tensor *const made = corpus_memory((size_t)count, sizeof *made);
    memcpy(made, tensors, (size_t)count * sizeof *made);
    return made;
}

/* Gives a case that is read to the versions that have it. */
static void end_case(const corpus_file *file, read_case *made, const opmill_operator *any) {
    made->is_sayable = made->is_sayable && !file->has_nul;
    made->example.inputs = copied(made->inputs, made->example.input_count);
    made->example.outputs = copied(made->outputs, made->example.output_count);
    for (int32_t i = 0; i < made->version_count; i++) {
        case_table *const table = own_table(version_of(any, made->versions[i]));
        if (table != NULL) {
            give_to(table, made);
        }
    }
}

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

/* A line of a case behind its first. */
static void read_part(corpus_file *file, read_case *made, const char *word) {
    int64_t number = 0;
    if (corpus_is(word, "versions")) {
        for (char *one = corpus_word(file); one != NULL; one = corpus_word(file)) {
            if (!corpus_whole(one, &number) || made->version_count == MAX_VERSIONS) {
                corpus_refuse(file, "expected versions");
            }
            made->versions[made->version_count++] = (int32_t)number;
        }
    } else if (corpus_is(word, "each")) {
        (void)corpus_need(file); /* the type variable */
        for (char *one = corpus_word(file); one != NULL && made->repeated_count < 2 * MAX_TENSORS;
             one = corpus_word(file)) {
            made->repeated_for[made->repeated_count++] = one;
        }
    } else if (corpus_is(word, "repeated")) {
        made->example.is_repeated = true;
    } else if (corpus_is(word, "attribute")) {
        add_attribute(file, made);
    } else if (corpus_is(word, "input")) {
        add_tensor(file, made, made->inputs, &made->example.input_count);
    } else if (corpus_is(word, "output")) {
        add_tensor(file, made, made->outputs, &made->example.output_count);
    } else if (corpus_is(word, "tensor") || corpus_is(word, "about") || corpus_is(word, "origin") ||
               corpus_is(word, "rests_on")) {
        /* of a sequence, which is not called; or for readers of the corpus */
    } else if (corpus_is(word, "outputs")) {
        (void)corpus_whole(corpus_need(file), &number);
        made->asked = (int32_t)number;
    } else if (corpus_is(word, "by_kernel")) {
        made->reject.by_kernel = true;
    } else if (corpus_is(word, "raises")) {
        made->reject.code = code_of(file, corpus_need(file));
        made->reject.message = corpus_need(file);
    } else {
        corpus_refuse(file, "an unknown line");
    }
}

static case_table *read_version(corpus_file *file, const opmill_operator *any,
                                int32_t *expected_cases) {
    int64_t number = 0, examples = 0, rejects = 0;
    if (!corpus_whole(corpus_need(file), &number) || !corpus_whole(corpus_need(file), &examples) ||
        !corpus_whole(corpus_need(file), &rejects)) {
        corpus_refuse(file, "expected a version and the numbers of its cases");
    }
    case_table *const table = own_table(version_of(any, (int32_t)number));
    if (table != NULL) {
        expected_cases[table - tables] = (int32_t)(examples + rejects);
    }
    return table;
}

static void read_accuracy(corpus_file *file, case_table *table) {
    const char *const type = corpus_need(file);
    case_accuracy read = {.type = OPMILL_UNDEFINED};
    for (int32_t i = OPMILL_FLOAT; i <= OPMILL_FLOAT6E3M2; i++) {
        read.type = corpus_is(type, type_name(i)) ? i : read.type;
    }
    read.rtol = strtod(corpus_need(file), NULL);
    read.atol = strtod(corpus_need(file), NULL);
    if (table != NULL) {
        table->accuracies = grown(table->accuracies, table->accuracy_count, sizeof read);
        table->accuracies[table->accuracy_count++] = read;
    }
}

/* The file of an operator, of which any version is given. */
static void read_operator(const opmill_operator *any, int32_t *expected_cases) {
    static read_case made;
    corpus_file file;
    case_table *table = NULL;
    bool is_open = false, has_ended = false;
    corpus_open(&file, any->domain, any->name);
    if (!corpus_line(&file) || !corpus_is(corpus_need(&file), "corpus") ||
        !corpus_is(corpus_need(&file), "2")) {
        corpus_refuse(&file, "expected a corpus of the format 2");
    }
    while (!has_ended && corpus_line(&file)) {
        const char *const word = corpus_need(&file);
        const bool is_example = corpus_is(word, "example");
        has_ended = corpus_is(word, "end");
        if (is_open && (is_example || has_ended || corpus_is(word, "reject"))) {
            end_case(&file, &made, any);
            is_open = false;
        }
        if (is_example || corpus_is(word, "reject")) {
            memset(&made, 0, sizeof made);
            file.has_nul = false;
            made.example.name = made.reject.name = corpus_need(&file);
            made.is_example = is_example;
            made.is_sayable = is_open = true;
            made.asked = -1;
        } else if (is_open) {
            read_part(&file, &made, word);
        } else if (corpus_is(word, "version")) {
            table = read_version(&file, any, expected_cases);
        } else if (corpus_is(word, "accuracy")) {
            read_accuracy(&file, table);
        }
    }
    if (!has_ended) {
        corpus_refuse(&file, "the file ends too early");
    }
}

static void read_corpus(void) {
    int32_t *const expected_cases = corpus_memory((size_t)opmill_operator_count, sizeof(int32_t));
    table_count = opmill_operator_count;
    tables = corpus_memory((size_t)table_count, sizeof *tables);
    for (int32_t i = 0; i < table_count; i++) {
        const opmill_operator *const operator = opmill_operators[i];
        tables[i] = (case_table){.operator = operator,
                                 .domain = operator->domain,
                                 .name = operator->name,
                                 .since_version = operator->since_version,
                                 .reference = reference_of(operator)};
        expected_cases[i] = -1;
    }
    for (int32_t i = 0; i < table_count; i++) {
        if (expected_cases[i] < 0) {
            read_operator(opmill_operators[i], expected_cases);
        }
        const int32_t found = tables[i].example_count + tables[i].reject_count + tables[i].left_out;
        if (expected_cases[i] != found) {
            fprintf(stderr, "%s: the corpus has %d of %d cases\n", opmill_operators[i]->label,
                    (int)found, (int)expected_cases[i]);
            exit(2);
        }
    }
}

int32_t case_table_count(void) {
    if (table_count < 0) {
        read_corpus();
    }
    return table_count;
}

const case_table *case_table_at(int32_t index) {
    return index < case_table_count() ? &tables[index] : NULL;
}

const case_table *case_table_of(const opmill_operator *operator) {
    return case_table_count() > 0 ? own_table(operator) : NULL;
}

/* Whether a run has the case at a position of its version: always the first, and in other versions
 * of the operator other ones of those that they share. */
static bool is_run(const case_table *table, int32_t position) {
    return position == 0 || (position + table->since_version) % cases_every() == 0;
}

const case_example *next_example(const case_table *table, const case_example *last) {
    int32_t at = last == NULL ? 0 : (int32_t)(last - table->examples) + 1;
    while (at < table->example_count && !is_run(table, at)) {
        at++;
    }
    return at < table->example_count ? &table->examples[at] : NULL;
}

const case_reject *next_reject(const case_table *table, const case_reject *last) {
    int32_t at = last == NULL ? 0 : (int32_t)(last - table->rejects) + 1;
    while (at < table->reject_count && !is_run(table, at)) {
        at++;
    }
    return at < table->reject_count ? &table->rejects[at] : NULL;
}
