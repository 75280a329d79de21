/* Reads the corpus of all operators and builds the tables of examples and rejects for each
 * version. */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "opmill/operators.h"
#include "read_case.h"
#include "values.h"

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

/* The array with capacity for one more element; it grows by doubling. */
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

/* The type that ONNX describes so, as "seq(tensor(float))"; OPMILL_UNDEFINED if there is none. */
static int32_t type_of_words(const char *words) {
    char tensor[64];
    for (int32_t type = OPMILL_FLOAT; type <= OPMILL_FLOAT6E3M2; type++) {
        snprintf(tensor, sizeof tensor, "tensor(%s)", type_name(type));
        if (corpus_is(words, tensor)) {
            return type;
        }
        if (corpus_is(words, type_name(OPMILL_SEQUENCE + type))) {
            return OPMILL_SEQUENCE + type;
        }
    }
    return OPMILL_UNDEFINED;
}

/* Sets a member of a version's struct. */
static void set_member(unsigned char *members, const opmill_attribute *attribute,
                       const given_attribute *given) {
    unsigned char *const member = members + attribute->offset;
    if (attribute->kind == OPMILL_KIND_TYPE_PROTO) {
        *(int32_t *)(void *)member = type_of_words(given->value.text);
    } else if (attribute->optional != 0 && given->kind == OPMILL_KIND_INT) {
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
    } else if (given->kind == OPMILL_KIND_GRAPH) {
        memcpy(member, &given->value.graph, sizeof given->value.graph);
    } else if (given->kind == OPMILL_KIND_TENSOR) {
        memcpy(member, &given->value.tensor, sizeof given->value.tensor);
    } else {
        memcpy(member, &given->value.sparse, sizeof given->value.sparse);
    }
}

/* True if a member holds what a case gives: a type is a text there. */
static bool takes_kind(const opmill_attribute *attribute, const given_attribute *given) {
    return given->kind == attribute->kind ||
           (attribute->kind == OPMILL_KIND_TYPE_PROTO && given->kind == OPMILL_KIND_STRING &&
            type_of_words(given->value.text) != OPMILL_UNDEFINED);
}

/* Sets the attributes of a case in the struct of a version, NULL if the case has none; false if the
 * struct has no such members. */
static bool build_attributes(const opmill_operator *operator, const read_case *current,
                             const void **attributes) {
    *attributes = NULL;
    if (current->attribute_count == 0) {
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
        for (int32_t k = 0; k < current->attribute_count; k++) {
            const given_attribute *const given = &current->attributes[k];
            if (corpus_is(given->name, attribute->name) && takes_kind(attribute, given)) {
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
    return known == current->attribute_count;
}

/* Cases. */

static bool has_gap(const opmill_operator *operator, const case_tensor *tensors, int32_t count) {
    for (int32_t i = 0; i < operator->gap_count; i++) {
        for (int32_t k = 0; k < count; k++) {
            if (type_element(tensors[k].type) == operator->gaps[i].type) {
                return true;
            }
        }
    }
    return false;
}

/* The type variable of the inputs that are repeated in each type, counted from 1. */
static int32_t repeated_variable(const opmill_operator *operator, const read_case *current) {
    for (int32_t i = 0; i < current->repeated_count; i++) {
        for (int32_t k = 0; k < operator->input_count; k++) {
            if (corpus_is(current->repeated_for[i], operator->inputs[k].name)) {
                return operator->inputs[k].variable + 1;
            }
        }
    }
    return 0;
}

/* Number of outputs of a reject that does not state one. */
static int32_t default_outputs(const opmill_operator *operator) {
    const int32_t needed = min_outputs(operator);
    const bool first_is_optional =
        operator->output_count > 0 && operator->outputs[0].option == OPMILL_OPTIONAL;
    const bool is_one = first_is_optional || operator->runs_graphs != 0;
    return needed == 0 && is_one ? 1 : needed;
}

/* True if a version takes what a case gives for its parameters: tensors, sequences and optionals
 * where it has such types. Python refuses others by their class, and C by their type. */
static bool takes_forms(const opmill_parameter *parameters, int32_t parameter_count,
                        const case_tensor *tensors, int32_t count) {
    for (int32_t i = 0; i < count && parameter_count > 0; i++) {
        const opmill_parameter *const own = parameter_of(parameters, parameter_count, i);
        bool takes = tensors[i].type == OPMILL_UNDEFINED;
        for (int32_t t = 0; t < own->type_count && !takes; t++) {
            const int32_t form = type_form(tensors[i].type), listed = type_form(own->types[t]);
            takes = form == listed || (form == OPMILL_OPTIONAL_TYPE &&
                                       listed > OPMILL_OPTIONAL_TYPE && listed < OPMILL_MAP_INT64);
        }
        if (!takes) {
            return false;
        }
    }
    return true;
}

/* The values of a case, in which those of parameters that can be nothing but optionals are the
 * contents of one. Without contents, its type is that of `empty`. */
static const case_tensor *as_optionals(const opmill_parameter *parameters, int32_t parameter_count,
                                       const case_tensor *tensors, int32_t count, int32_t empty) {
    static const int64_t one[] = {1};
    case_tensor *const result = corpus_memory((size_t)count, sizeof *result);
    for (int32_t i = 0; i < count; i++) {
        const int32_t type = tensors[i].type;
        result[i] = tensors[i];
        if (parameter_count == 0 || type == OPMILL_UNDEFINED) {
            continue;
        }
        const int32_t first = parameter_of(parameters, parameter_count, i)->types[0];
        if (first < OPMILL_OPTIONAL_TYPE || first >= OPMILL_MAP_INT64) {
            continue;
        }
        if (type >= OPMILL_OPTIONAL_TYPE) {
            result[i].type += empty;
        } else {
            result[i] = (case_tensor){
                .type = OPMILL_OPTIONAL_TYPE + type, .rank = 1, .dims = one, .items = &tensors[i]};
        }
    }
    return result;
}

/* The type that an attribute of a case describes; OPMILL_UNDEFINED where none does. */
static int32_t described_type(const opmill_operator *operator, const void *attributes) {
    for (int32_t i = 0; i < operator->attribute_count && attributes != NULL; i++) {
        if (operator->attributes[i].kind == OPMILL_KIND_TYPE_PROTO) {
            int32_t type;
            memcpy(&type, (const char *)attributes + operator->attributes[i].offset, sizeof type);
            return type;
        }
    }
    return OPMILL_UNDEFINED;
}

static void add_to_table(case_table *table, const read_case *current) {
    const opmill_operator *const operator = table->operator;
    const void *attributes;
    const bool has_attributes = build_attributes(operator, current, &attributes);
    const bool computes = !current->is_example ||
                          !(has_gap(operator, current->inputs, current->example.input_count) ||
                            has_gap(operator, current->outputs, current->example.output_count));
    /* Without a number, Python requests all outputs that the graphs have. */
    const bool is_counted =
        operator->runs_graphs == 0 || !current->reject.by_kernel || current->requested_outputs >= 0;
    case_example own = current->example;
    own.inputs = as_optionals(operator->inputs, operator->input_count, own.inputs, own.input_count,
                              OPMILL_UNDEFINED);
    own.outputs = as_optionals(operator->outputs, operator->output_count, own.outputs,
                               own.output_count, described_type(operator, attributes));
    const bool takes =
        takes_forms(operator->inputs, operator->input_count, own.inputs, own.input_count) &&
        takes_forms(operator->outputs, operator->output_count, own.outputs, own.output_count);
    if (!current->is_callable || !has_attributes || !computes || !takes || !is_counted) {
        table->left_out++;
        return;
    }
    if (current->is_example) {
        table->examples = grown(table->examples, table->example_count, sizeof *table->examples);
        case_example *const added = &table->examples[table->example_count++];
        *added = own;
        added->attributes = attributes;
        added->each_type = repeated_variable(operator, current);
    } else {
        table->rejects = grown(table->rejects, table->reject_count, sizeof *table->rejects);
        case_reject *const added = &table->rejects[table->reject_count++];
        *added = current->reject;
        added->inputs = own.inputs;
        added->input_count = own.input_count;
        added->attributes = attributes;
        added->output_count = current->requested_outputs >= 0 ? current->requested_outputs
                                                              : default_outputs(operator);
    }
}

/* Adds a case to the tables of the versions that have it. */
static void add_case(const read_case *current, const opmill_operator *any) {
    for (int32_t i = 0; i < current->version_count; i++) {
        case_table *const table = own_table(version_of(any, current->versions[i]));
        if (table != NULL) {
            add_to_table(table, current);
        }
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
    static read_case current;
    corpus_file file;
    case_table *table = NULL;
    bool is_open = false, has_ended = false;
    corpus_open(&file, any->domain, any->name);
    if (!corpus_line(&file) || !corpus_is(corpus_need(&file), "corpus") ||
        !corpus_is(corpus_need(&file), "3")) {
        corpus_refuse(&file, "expected a corpus of the format 3");
    }
    while (!has_ended && corpus_line(&file)) {
        const char *const word = corpus_need(&file);
        const bool is_example = corpus_is(word, "example");
        has_ended = corpus_is(word, "end");
        if (is_open && (is_example || has_ended || corpus_is(word, "reject"))) {
            read_case_end(&file, &current);
            add_case(&current, any);
            is_open = false;
        }
        if (is_example || corpus_is(word, "reject")) {
            read_case_begin(&file, &current, is_example);
            is_open = true;
        } else if (is_open) {
            read_case_line(&file, &current, word);
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
                                 .since_version = operator->since_version};
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

/* True if a run has the case at a position of its version: always the first, and in other versions
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
