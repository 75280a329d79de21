/* Reads the files of the corpus, which docs/start/corpus.md specifies. */
#include "reader.h"
#include "values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path;
static int line_number;
static char *at;     /* what is not yet read of the line */
static bool has_nul; /* whether a text of this case has a NUL, which ends it in C */

/* Memory is released when a file or a call ends. */
typedef union block {
    union block *previous;
    max_align_t alignment;
} block;
static block *blocks;

void corpus_refuse(const char *what) {
    fprintf(stderr, "%s:%d: %s\n", path, line_number, what);
    exit(2);
}

void *corpus_memory(size_t count, size_t size) {
    block *const memory =
        count > SIZE_MAX / 2 / (size + 1) ? NULL : calloc(1, sizeof(block) + count * size + 1);
    if (memory == NULL)
        corpus_refuse("out of memory");
    memory->previous = blocks;
    blocks = memory;
    return memory + 1;
}

const void *corpus_newest(void) { return blocks; }

void corpus_release(const void *newest) {
    while (blocks != newest) {
        block *const last = blocks;
        blocks = last->previous;
        free(last);
    }
}

/* The next word of the line, or text in quotes, whose escapes are replaced; NULL at its end. */
static char *next_word(void) {
    static const char NAMES[] = "bfnrt", MEANT[] = "\b\f\n\r\t";
    char *const word = at + (*at == '"'), *to = word;
    if (*at == '\0')
        return NULL;
    if (*at != '"') {
        at += strcspn(at, " ");
    } else {
        for (at++; *at != '"' && *at != '\0'; at++) {
            if (*at != '\\') {
                *to++ = *at;
            } else if (*++at == 'u' && strlen(at) > 4) { /* a control character, as \u001f */
                *to = (char)strtol((const char[]){at[3], at[4], '\0'}, NULL, 16);
                has_nul = has_nul || *to == '\0';
                to++, at += 4;
            } else {
                const char *const name = *at != '\0' ? strchr(NAMES, *at) : NULL;
                *to++ = name != NULL ? MEANT[name - NAMES] : *at;
                at -= *at == '\0';
            }
        }
        if (*at == '\0')
            corpus_refuse("a text has no end");
        *to = '\0';
        at++;
    }
    if (*at == ' ')
        *at++ = '\0';
    return word;
}

static char *need_word(void) {
    char *const word = next_word();
    if (word == NULL)
        corpus_refuse("the line ends too early");
    return word;
}

static double need_number(void) {
    char *end;
    const double number = strtod(need_word(), &end);
    if (*end != '\0')
        corpus_refuse("expected a number");
    return number;
}

/* An integer of 64 bits; sets `left_out` if it has more. */
static int64_t need_integer(bool *left_out) {
    char *end;
    const char *const word = need_word();
    errno = 0;
    const int64_t number =
        word[0] == '-' ? strtoll(word, &end, 10) : (int64_t)strtoull(word, &end, 10);
    if (*end != '\0' || end == word)
        corpus_refuse("expected an integer");
    *left_out = *left_out || errno == ERANGE || (number < 0) != (word[0] == '-');
    return number;
}

/* A tensor behind its type. */
static corpus_tensor need_tensor(const char *type) {
    const corpus_format *const format = corpus_format_of(type);
    char *dims = need_word();
    corpus_tensor read = {.type = type, .count = 1};
    int64_t *const lengths = corpus_memory(strlen(dims), sizeof *lengths);
    if (format == NULL || dims[0] != '[')
        corpus_refuse("expected an element type and dims, as float [2,3]");
    for (dims = strtok(dims, "[],"); dims != NULL; dims = strtok(NULL, "[],")) {
        lengths[read.rank++] = strtoll(dims, NULL, 10);
    }
    for (int i = 0; i < read.rank; i++) { /* a dim of 0 may follow dims of any size */
        read.count = lengths[i] == 0 ? 0 : read.count;
    }
    for (int i = 0; i < read.rank && read.count > 0; i++) {
        if (lengths[i] < 0 || read.count > INT32_MAX / lengths[i])
            corpus_refuse("the dims are too large");
        read.count *= lengths[i];
    }
    read.dims = lengths;
    if (read.count > 0 && (size_t)read.count > strlen(at))
        corpus_refuse("the line ends too early");
    read.data = corpus_memory(corpus_bytes(type, read.count), 1);
    const bool is_bits = strncmp(at, "bits ", 5) == 0;
    if (is_bits)
        at += 5;
    for (int64_t i = 0; i < read.count * corpus_parts(format); i++) {
        bool ignored = false;
        if (format->kind == 's') {
            ((const char **)read.data)[i] = need_word();
        } else if (is_bits) {
            corpus_set_pattern(read.data, format->bits, i, strtoull(need_word(), NULL, 16));
        } else if (format->kind == 'i') {
            corpus_set_pattern(read.data, format->bits, i, (uint64_t)need_integer(&ignored));
        } else {
            corpus_set_pattern(read.data, format->bits, i, corpus_nearest(format, need_number()));
        }
    }
    if (*at != '\0')
        corpus_refuse("more elements than the dims say");
    return read;
}

static void read_tensor(corpus_case *one, corpus_tensor *tensors, int *count) {
    const char *const type = (need_word(), need_word());
    one->is_left_out |= strcmp(type, "sequence") == 0 || strcmp(type, "empty") == 0;
    if (*count == MAX_ITEMS)
        corpus_refuse("more tensors than the runner takes");
    tensors[(*count)++] =
        one->is_left_out || strcmp(type, "absent") == 0 ? (corpus_tensor){NULL} : need_tensor(type);
}

static void read_attribute(corpus_case *one) {
    if (one->attribute_count == MAX_ITEMS)
        corpus_refuse("more attributes than the runner takes");
    corpus_attribute *const read = &one->attributes[one->attribute_count++];
    const size_t most = strlen(at);
    *read = (corpus_attribute){.name = need_word(), .kind = need_word()};
    int64_t *const ints = corpus_memory(most, sizeof *ints);
    float *const floats = corpus_memory(most, sizeof *floats);
    const char **const strings = corpus_memory(most, sizeof *strings);
    if (strcmp(read->kind, "tensor") == 0) {
        read->tensor = need_tensor(need_word());
    } else if (strncmp(read->kind, "int", 3) == 0) {
        for (; *at != '\0'; read->count++)
            ints[read->count] = need_integer(&one->is_left_out);
    } else if (strncmp(read->kind, "float", 5) == 0) {
        for (; *at != '\0'; read->count++)
            floats[read->count] = (float)need_number();
    } else if (strncmp(read->kind, "string", 6) == 0) {
        for (; *at != '\0'; read->count++)
            strings[read->count] = need_word();
    } else {
        one->is_left_out = true; /* graph, sparse, other */
    }
    read->ints = ints, read->floats = floats, read->strings = strings;
}

bool corpus_has_version(const char *list, int64_t version) {
    char *next;
    for (; *list != '\0'; list = next) {
        if (strtoll(list, &next, 10) == version)
            return true;
        if (next == list)
            corpus_refuse("expected versions");
    }
    return false;
}

static bool next_line(FILE *file) {
    size_t size = 0, capacity = 0;
    char *line = NULL;
    int one;
    for (line_number++; (one = getc(file)) != EOF && one != '\n'; line[size++] = (char)one) {
        if (size + 2 > capacity) {
            capacity = 2 * capacity + 256;
            char *const larger = corpus_memory(capacity, 1);
            if (size > 0)
                memcpy(larger, line, size);
            line = larger;
        }
    }
    at = line != NULL ? line : "";
    return one != EOF || size > 0;
}

/* A line of a case behind its first. */
static void read_part(corpus_case *one, const char *word) {
    if (strcmp(word, "versions") == 0) {
        one->versions = at;
    } else if (strcmp(word, "rests_on") == 0) {
        while (*at != '\0' && one->rests_on_count < MAX_ITEMS)
            one->rests_on[one->rests_on_count++] = need_word();
    } else if (strcmp(word, "attribute") == 0) {
        read_attribute(one);
    } else if (strcmp(word, "input") == 0) {
        read_tensor(one, one->inputs, &one->input_count);
    } else if (strcmp(word, "output") == 0) {
        read_tensor(one, one->outputs, &one->output_count);
    } else if (strcmp(word, "outputs") == 0) {
        one->output_count = (int)need_integer(&one->is_left_out);
        if (one->output_count < 0 || one->output_count > MAX_ITEMS)
            corpus_refuse("more outputs than the runner takes");
    } else if (strcmp(word, "raises") == 0) {
        (void)need_word();
        one->message = *at != '\0' ? need_word() : "";
    } /* origin and about are for readers; a tensor of a sequence is left out */
}

static void read_version(corpus_operator *operator) {
    bool ignored = false;
    operator->versions[operator->version_count++] = need_integer(&ignored);
    if (operator->version_count == MAX_ITEMS)
        corpus_refuse("more versions than the runner takes");
}

static void read_accuracy(corpus_operator *operator) {
    if (operator->accuracy_count == MAX_ROWS || operator->version_count == 0)
        corpus_refuse("more tolerances than the runner takes");
    operator->accuracies[operator->accuracy_count].version =
        operator->versions[operator->version_count - 1];
    operator->accuracies[operator->accuracy_count].type = need_word();
    operator->accuracies[operator->accuracy_count].rtol = need_number();
    operator->accuracies[operator->accuracy_count++].atol = need_number();
}

void corpus_read(const char *name, corpus_operator *operator,
                 void (*run)(const corpus_operator *operator, const corpus_case *one)) {
    static corpus_case one;
    FILE *const file = fopen(name, "rb");
    bool is_open = false, is_erratum = false;
    const char *word = "";
    path = name;
    line_number = 0;
    operator->version_count = operator->accuracy_count = operator->erratum_count = 0;
    if (file == NULL)
        corpus_refuse("cannot be read");
    if (!next_line(file) || strcmp(at, "corpus 3") != 0)
        corpus_refuse("expected 'corpus 3'");
    while (strcmp(word, "end") != 0) {
        if (!next_line(file))
            corpus_refuse("the file ends too early");
        if (*at == '\0')
            continue;
        word = need_word();
        const bool begins = strcmp(word, "example") == 0 || strcmp(word, "reject") == 0;
        if (is_open && (begins || strcmp(word, "end") == 0)) {
            one.is_left_out |= has_nul;
            run(operator, &one);
        }
        if (begins) {
            one = (corpus_case){.is_reject = word[0] == 'r', .name = need_word(), .versions = ""};
            is_open = true;
            has_nul = false;
        } else if (is_open) {
            read_part(&one, word);
        } else if (strcmp(word, "version") == 0) {
            read_version(operator);
        } else if (strcmp(word, "accuracy") == 0) {
            read_accuracy(operator);
        } else if (strcmp(word, "erratum") == 0) {
            if (operator->erratum_count == MAX_ROWS)
                corpus_refuse("more errata than the runner takes");
            operator->errata[operator->erratum_count].name = need_word();
            is_erratum = true;
        } else if (is_erratum && strcmp(word, "versions") == 0) {
            operator->errata[operator->erratum_count++].versions = at;
            is_erratum = false;
        }
    }
    fclose(file);
}
