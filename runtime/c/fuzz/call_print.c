/* A call in words, for whoever reads about a finding. */
#include <inttypes.h>
#include <stdio.h>

#include "call.h"

static void print_numbers(const char *name, const call_numbers *numbers) {
    fprintf(stderr, "%s[", name);
    for (int32_t i = 0; i < numbers->count; i++) {
        fprintf(stderr, "%s%" PRId64, i > 0 ? ", " : "", numbers->values[i]);
    }
    fputc(']', stderr);
}

static void print_tensor(int32_t index, const call_tensor *tensor) {
    static const char *const CONTENTS[] = {"zeros", "values", "tame", "special", "wild"};
    static const char *const SPOILED[] = {"absent", "no dims", "no data", "at an odd address"};
    fprintf(stderr, "  input %d: type %d, rank %d, ", (int)index, (int)tensor->type,
            (int)tensor->rank);
    print_numbers("dims ", &tensor->dims);
    fprintf(stderr, ", %s %d", CONTENTS[tensor->content], (int)tensor->seed);
    if (tensor->content == CONTENT_VALUES) {
        print_numbers(" ", &tensor->values);
    }
    for (int i = 0; i < 4; i++) {
        if ((tensor->spoiled >> i & 1) != 0) {
            fprintf(stderr, ", %s", SPOILED[i]);
        }
    }
    fputc('\n', stderr);
}

static void print_attribute(const opmill_operator *operator, const call_attribute *given) {
    const opmill_attribute *const attribute = &operator->attributes[given->index];
    fprintf(stderr, "  attribute %s: ", attribute->name);
    if (call_is_text(attribute->kind)) {
        fprintf(stderr, given->length < 0 ? "NULL" : "'%s'", given->text);
    } else if (call_is_list(attribute->kind)) {
        fprintf(stderr, "count %" PRId64, given->number);
        print_numbers(" of ", &given->values);
    } else {
        fprintf(stderr, "%" PRId64, given->number);
    }
    fputc('\n', stderr);
}

void call_print(const call *from) {
    static const char *const SPOILED[] = {"no inputs", "no attributes", "no results", "no context",
                                          "large"};
    static const char *const WORKSPACES[] = {"right", "a byte short", "NULL", "NULL and 0", "more"};
    static const char *const OUTPUTS[] = {
        "right",           "NULL",         "of another type",   "of other dims",
        "of another rank", "without data", "at an odd address", "overlapping",
        "without dims"};
    fprintf(stderr, "%s: %d inputs, %d outputs", from->operator->label, (int)from->input_count,
            (int)from->output_count);
    for (int i = 0; i < 5; i++) {
        if ((from->spoiled >> i & 1) != 0) {
            fprintf(stderr, ", %s", SPOILED[i]);
        }
    }
    fprintf(stderr, "\n  threads %d and %d, instruction sets %d and %d\n", (int)from->threads[0],
            (int)from->threads[1], (int)from->isa[0], (int)from->isa[1]);
    fprintf(stderr, "  workspace %s, %d past a boundary; output %s, %" PRId64 "\n",
            WORKSPACES[from->workspace], (int)from->workspace_shift, OUTPUTS[from->output],
            from->output_argument);
    for (int32_t i = 0; i < from->tensor_count; i++) {
        print_tensor(i, &from->tensors[i]);
    }
    for (int32_t i = 0; i < from->attribute_count; i++) {
        print_attribute(from->operator, &from->attributes[i]);
    }
}
