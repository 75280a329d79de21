/* Reads graphs of the corpus, and runs them: each node by the newest version that the library has.
 * Their results are in memory that is not freed, and share none with their inputs. */
#include "graphs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "opmill/operators.h"
#include "read_case.h"
#include "values.h"

enum { MAX_NAMES = 16, MAX_NODES = 16, MAX_VALUES = 64 };

typedef struct name_list {
    const char *names[MAX_NAMES];
    int32_t count;
} name_list;

typedef struct graph_node {
    const opmill_operator *operator; /* NULL where the library lacks it */
    name_list inputs, outputs;
    unsigned char *attributes;
} graph_node;

typedef struct case_graph {
    opmill_graph graph;
    name_list inputs, outputs;
    graph_node nodes[MAX_NODES];
    int32_t node_count;
    opmill_shape declared[MAX_NAMES];
    bool runs; /* false where a node cannot run in C */
} case_graph;

/* JSON, as the corpus has it: objects, lists, texts and whole numbers. */

static void refuse(const char *at) {
    fprintf(stderr, "a graph of the corpus cannot be read at '%.40s'\n", at);
    exit(2);
}

static bool starts(char **at, char sign) {
    if (**at != sign) {
        return false;
    }
    (*at)++;
    return true;
}

static void need(char **at, char sign) {
    if (!starts(at, sign)) {
        refuse(*at);
    }
}

/* A text. Texts of graphs have no escapes but of quotes, which strings of tensors are in. */
static char *text_of(char **at) {
    need(at, '"');
    char *const text = *at;
    char *to = text;
    for (; **at != '"'; (*at)++) {
        if (**at == '\0') {
            refuse(text);
        }
        if (**at == '\\') {
            (*at)++;
        }
        *to++ = **at;
    }
    (*at)++;
    *to = '\0';
    return text;
}

static int64_t number_of(char **at) {
    char *end;
    const long long number = strtoll(*at, &end, 10);
    if (end == *at) {
        refuse(*at);
    }
    *at = end;
    return number;
}

/* The key of the next member of an object; NULL at its end. */
static char *key_of(char **at) {
    (void)(starts(at, '{') || starts(at, ','));
    if (starts(at, '}')) {
        return NULL;
    }
    char *const key = text_of(at);
    need(at, ':');
    return key;
}

/* True if a list has one more value; its bracket is read at its end. */
static bool has_item(char **at) {
    (void)(starts(at, '[') || starts(at, ','));
    return !starts(at, ']');
}

static void read_names(char **at, name_list *list) {
    while (has_item(at)) {
        if (list->count == MAX_NAMES) {
            refuse(*at);
        }
        list->names[list->count++] = text_of(at);
    }
}

/* Nodes. */

static const opmill_operator *newest(const char *name) {
    const opmill_operator *found = NULL;
    for (int32_t i = 0; i < opmill_operator_count; i++) {
        const opmill_operator *const own = opmill_operators[i];
        if (strcmp(own->name, name) == 0 && strcmp(own->domain, "ai.onnx") == 0 &&
            (found == NULL || own->since_version > found->since_version)) {
            found = own;
        }
    }
    return found;
}

/* Reads the value of an attribute of a node: a tensor, a whole number, or a text. False where the
 * operator has no such attribute in C. */
static bool read_attribute(char **at, const char *name, graph_node *node) {
    const opmill_operator *const operator = node->operator;
    const opmill_attribute *attribute = NULL;
    for (int32_t i = 0; operator != NULL && i < operator->attribute_count; i++) {
        attribute =
            strcmp(operator->attributes[i].name, name) == 0 ? &operator->attributes[i] : attribute;
    }
    void *const member = attribute != NULL ? node->attributes + attribute->offset : NULL;
    if (**at == '{') {
        const opmill_tensor *tensor = NULL;
        if (strcmp(key_of(at), "tensor") != 0) {
            refuse(*at);
        }
        tensor = tensor_of_text(text_of(at));
        need(at, '}');
        if (member == NULL || attribute->kind != OPMILL_KIND_TENSOR) {
            return false;
        }
        memcpy(member, &tensor, sizeof tensor);
        return true;
    }
    if (**at == '"') {
        (void)text_of(at);
        return false;
    }
    const int64_t number = number_of(at);
    if (member == NULL || attribute->kind != OPMILL_KIND_INT) {
        return false;
    }
    memcpy(member, &number, sizeof number);
    return true;
}

/* Reads a node, whose operator is before all else; false where it cannot run. */
static bool read_node(char **at, graph_node *node) {
    bool runs = true;
    for (char *key = key_of(at); key != NULL; key = key_of(at)) {
        if (strcmp(key, "op") == 0) {
            node->operator = newest(text_of(at));
            const size_t bytes = node->operator != NULL ? node->operator->attributes_size : 0;
            node->attributes = corpus_memory(bytes + 1, 1);
            if (bytes > 0) {
                memcpy(node->attributes, node->operator->defaults, bytes);
            }
        } else if (strcmp(key, "inputs") == 0) {
            read_names(at, &node->inputs);
        } else if (strcmp(key, "outputs") == 0) {
            read_names(at, &node->outputs);
        } else {
            for (char *name = key_of(at); name != NULL; name = key_of(at)) {
                runs = read_attribute(at, name, node) && runs;
            }
        }
    }
    return runs && node->operator != NULL;
}

static void read_type(char **at, opmill_shape *declared) {
    for (char *key = key_of(at); key != NULL; key = key_of(at)) {
        if (strcmp(key, "type") == 0) {
            const char *const word = text_of(at);
            for (int32_t i = OPMILL_FLOAT; i <= OPMILL_FLOAT6E3M2; i++) {
                declared->type = strcmp(word, type_name(i)) == 0 ? i : declared->type;
            }
        } else {
            while (has_item(at)) {
                declared->dims[declared->rank++] = number_of(at);
            }
        }
    }
}

/* Reads what a graph declares of its outputs, whose names were read before. */
static void read_types(char **at, case_graph *graph) {
    for (char *name = key_of(at); name != NULL; name = key_of(at)) {
        opmill_shape declared = {.type = OPMILL_UNDEFINED};
        read_type(at, &declared);
        for (int32_t i = 0; i < graph->outputs.count; i++) {
            if (strcmp(graph->outputs.names[i], name) == 0) {
                graph->declared[i] = declared;
                graph->graph.output_types = graph->declared;
                graph->graph.output_type_count = graph->outputs.count;
            }
        }
    }
}

/* Runs. */

/* The values of a run by their names. */
typedef struct graph_values {
    const char *names[MAX_VALUES];
    const opmill_tensor *values[MAX_VALUES];
    int32_t count;
} graph_values;

static void add(graph_values *values, const char *name, const opmill_tensor *value) {
    if (values->count == MAX_VALUES) {
        refuse(name);
    }
    values->names[values->count] = name;
    values->values[values->count++] = value;
}

static const opmill_tensor *find(const graph_values *values, const char *name) {
    for (int32_t i = values->count - 1; i >= 0; i--) {
        if (strcmp(values->names[i], name) == 0) {
            return values->values[i];
        }
    }
    refuse(name);
    return NULL;
}

static opmill_tensor *blank(const int64_t *dims, int32_t rank, int32_t type) {
    opmill_tensor *const result = corpus_memory(1, sizeof *result);
    int64_t *const own = corpus_memory((size_t)rank + 1, sizeof *own);
    if (rank > 0) {
        memcpy(own, dims, (size_t)rank * sizeof *own);
    }
    void *const data = corpus_memory(type_bytes(type, count_of(own, rank)) + 1, 1);
    *result = (opmill_tensor){data, own, rank, type};
    return result;
}

/* A copy of a tensor or of a sequence with its tensors. */
static const opmill_tensor *copy_of(const opmill_tensor *value) {
    if (value == NULL) {
        return NULL;
    }
    opmill_tensor *const copy = blank(value->dims, value->rank, value->type);
    const int64_t count = count_of(value->dims, value->rank);
    if (type_form(value->type) != 0) {
        for (int64_t i = 0; i < count; i++) {
            ((const opmill_tensor **)copy->data)[i] =
                copy_of(((const opmill_tensor *const *)value->data)[i]);
        }
    } else if (count > 0) {
        memcpy(copy->data, value->data, type_bytes(value->type, count));
    }
    return copy;
}

static int provide_outputs(void *user, const opmill_shape *shapes, opmill_tensor **outputs,
                           int32_t output_count) {
    (void)user;
    for (int32_t i = 0; i < output_count; i++) {
        outputs[i] = blank(shapes[i].dims, shapes[i].rank, shapes[i].type);
    }
    return OPMILL_OK;
}

static int provide_workspace(void *user, size_t bytes, opmill_context *context) {
    (void)user;
    context->workspace = corpus_memory(bytes + 1, 1);
    context->workspace_size = bytes;
    return OPMILL_OK;
}

static void *provide_items(void *user, size_t bytes) {
    (void)user;
    return corpus_memory(bytes, 1);
}

static int run_node(const graph_node *node, graph_values *values, opmill_error *error) {
    const opmill_allocator allocator = {NULL, provide_outputs, provide_workspace};
    const opmill_block_allocator items = {NULL, provide_items};
    opmill_context context = OPMILL_CONTEXT_INIT;
    const opmill_tensor *inputs[MAX_NAMES];
    opmill_tensor *outputs[MAX_NAMES];
    opmill_shape shapes[MAX_NAMES];
    for (int32_t i = 0; i < node->inputs.count; i++) {
        inputs[i] = find(values, node->inputs.names[i]);
    }
    context.strings = context.sequences = &items;
    const int code =
        opmill_run_allocating(node->operator, inputs, node->inputs.count, node->attributes, shapes,
                              outputs, node->outputs.count, &allocator, &context);
    if (code != OPMILL_OK) {
        *error = context.error;
        return code;
    }
    for (int32_t i = 0; i < node->outputs.count; i++) {
        add(values, node->outputs.names[i], outputs[i]);
    }
    return OPMILL_OK;
}

static int run_graph(void *user, const opmill_tensor *const *inputs, int32_t input_count,
                     opmill_graph_results **results, opmill_error *error) {
    const case_graph *const graph = user;
    graph_values values = {.count = 0};
    if (input_count != graph->inputs.count) {
        error->code = OPMILL_ERROR_CALL;
        snprintf(error->message, sizeof error->message, "a graph with %d inputs is given %d",
                 (int)graph->inputs.count, (int)input_count);
        return OPMILL_ERROR_CALL;
    }
    for (int32_t i = 0; i < input_count; i++) {
        add(&values, graph->inputs.names[i], copy_of(inputs[i]));
    }
    for (int32_t i = 0; i < graph->node_count; i++) {
        const int code = run_node(&graph->nodes[i], &values, error);
        if (code != OPMILL_OK) {
            return code;
        }
    }
    const opmill_tensor **const tensors =
        corpus_memory((size_t)graph->outputs.count + 1, sizeof *tensors);
    opmill_graph_results *const own = corpus_memory(1, sizeof *own);
    for (int32_t i = 0; i < graph->outputs.count; i++) {
        tensors[i] = find(&values, graph->outputs.names[i]);
    }
    *own = (opmill_graph_results){tensors, graph->outputs.count, NULL};
    *results = own;
    return OPMILL_OK;
}

const opmill_graph *graph_of_json(char *text) {
    case_graph *const graph = corpus_memory(1, sizeof *graph);
    graph->graph.user = graph;
    graph->graph.run = run_graph;
    graph->runs = true;
    for (char *key = key_of(&text); key != NULL; key = key_of(&text)) {
        if (strcmp(key, "inputs") == 0) {
            read_names(&text, &graph->inputs);
        } else if (strcmp(key, "outputs") == 0) {
            read_names(&text, &graph->outputs);
        } else if (strcmp(key, "types") == 0) {
            read_types(&text, graph);
        } else if (strcmp(key, "nodes") == 0) {
            while (has_item(&text)) {
                if (graph->node_count == MAX_NODES) {
                    refuse(text);
                }
                graph->runs = read_node(&text, &graph->nodes[graph->node_count++]) && graph->runs;
            }
        } else {
            refuse(key);
        }
    }
    return graph->runs ? &graph->graph : NULL;
}
