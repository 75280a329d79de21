/* Parses lines of a corpus file: words, quoted strings, dims, numbers and bit patterns. Ends the
 * program on a format error. */
#include "corpus.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

void corpus_refuse(const corpus_file *file, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", file->path, file->line, what);
    exit(2);
}

/* Memory of the corpus, which is used until the program ends. Blocks are linked, so that tools that
 * look for leaks reach all of them. */
typedef union block {
    union block *previous;
    max_align_t alignment;
} block;

static _Atomic(block *) blocks; /* graphs run in several threads */

void *corpus_memory(size_t count, size_t size) {
    const bool fits = size == 0 || count <= (SIZE_MAX - 2 * sizeof(block)) / size;
    block *const memory = fits ? calloc(1, sizeof(block) + count * size + 1) : NULL;
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    block *previous = atomic_load(&blocks);
    do {
        memory->previous = previous;
    } while (!atomic_compare_exchange_weak(&blocks, &previous, memory));
    return memory + 1;
}

void corpus_open(corpus_file *file, const char *domain, const char *operator) {
    const char *const folder = getenv("OPMILL_CORPUS");
    memset(file, 0, sizeof *file);
    snprintf(file->path, sizeof file->path, "%s/%s/%s.txt", folder != NULL ? folder : "", domain,
             operator);
    FILE *const stream = folder != NULL ? fopen(file->path, "rb") : NULL;
    if (stream == NULL || fseek(stream, 0, SEEK_END) != 0) {
        corpus_refuse(file, folder == NULL ? "OPMILL_CORPUS is not set, expected the folder that "
                                             "'opmill generate --corpus' wrote"
                                           : "cannot be read");
    }
    const long size = ftell(stream);
    char *const text = corpus_memory((size_t)size + 1, 1);
    rewind(stream);
    if (fread(text, 1, (size_t)size, stream) != (size_t)size || fclose(stream) != 0) {
        corpus_refuse(file, "cannot be read");
    }
    file->next = text;
}

bool corpus_line(corpus_file *file) {
    do {
        file->at = file->next;
        if (file->at == NULL) {
            return false;
        }
        char *const end = strchr(file->at, '\n');
        file->next = end != NULL ? end + 1 : NULL;
        if (end != NULL) {
            *end = '\0';
        }
        file->line++;
    } while (file->at[0] == '\0');
    return true;
}

/* A text in quotes, of which the first is read; its escapes are replaced where they are. */
static char *read_text(corpus_file *file) {
    char *const text = file->at, *to = text;
    const char *from = text;
    while (*from != '"') {
        static const char NAMES[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";
        if (*from == '\0') {
            corpus_refuse(file, "a text has no end");
        }
        if (*from != '\\') {
            *to++ = *from++;
        } else if (from[1] == 'u') { /* control characters alone are written so */
            const char digits[] = {from[2], from[3], from[4], from[5], '\0'};
            *to = (char)strtol(digits, NULL, 16);
            file->has_nul = file->has_nul || *to == '\0';
            to++;
            from += 6;
        } else {
            const char *const name = strchr(NAMES, from[1]);
            if (from[1] == '\0' || name == NULL) {
                corpus_refuse(file, "an unknown escape");
            }
            *to++ = MEANT[name - NAMES];
            from += 2;
        }
    }
    file->at = text + (from - text) + 1;
    *to = '\0';
    return text;
}

char *corpus_word(corpus_file *file) {
    while (*file->at == ' ') {
        file->at++;
    }
    if (*file->at == '\0') {
        return NULL;
    }
    if (*file->at == '"') {
        file->at++;
        return read_text(file);
    }
    char *const word = file->at;
    file->at += strcspn(word, " ");
    if (*file->at == ' ') {
        *file->at++ = '\0';
    }
    return word;
}

char *corpus_need(corpus_file *file) {
    char *const word = corpus_word(file);
    if (word == NULL) {
        corpus_refuse(file, "the line ends too early");
    }
    return word;
}

bool corpus_is(const char *word, const char *other) { return strcmp(word, other) == 0; }

bool corpus_whole(const char *word, int64_t *number) {
    const bool negative = word[0] == '-';
    const uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
    const char *digit = word + negative;
    uint64_t size = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        const uint64_t value = (uint64_t)(*digit - '0');
        if (size > (limit - value) / 10) {
            return false;
        }
        size = 10 * size + value;
    }
    size = negative ? 0 - size : size;
    memcpy(number, &size, sizeof size);
    return *digit == '\0' && digit > word + negative;
}

int32_t corpus_dims(corpus_file *file, const int64_t **dims) {
    char *word = corpus_need(file);
    int32_t rank = 0;
    if (word[0] != '[' || word[strlen(word) - 1] != ']') {
        corpus_refuse(file, "expected dims, as [2,3]");
    }
    int64_t *const read = corpus_memory(strlen(word), sizeof *read);
    for (word = strtok(word, "[],"); word != NULL; word = strtok(NULL, "[],")) {
        if (!corpus_whole(word, &read[rank++])) {
            corpus_refuse(file, "expected dims, as [2,3]");
        }
    }
    *dims = read;
    return rank;
}

static void read_texts(corpus_file *file, case_tensor *tensor, size_t count) {
    const char **const texts = corpus_memory(count, sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        texts[i] = corpus_need(file);
    }
    tensor->texts = texts;
}

static void read_bits(corpus_file *file, case_tensor *tensor, size_t count) {
    uint64_t *const bits = corpus_memory(count, sizeof *bits);
    for (size_t i = 0; i < count; i++) {
        bits[i] = strtoull(corpus_need(file), NULL, 16);
    }
    tensor->bits = bits;
}

/* Numbers: whole ones, until there is one that is not. */
static void read_numbers(corpus_file *file, case_tensor *tensor, char *word, size_t count) {
    int64_t *const numbers = corpus_memory(count, sizeof *numbers);
    double *reals = NULL;
    for (size_t i = 0; i < count; i++, word = i < count ? corpus_need(file) : NULL) {
        if (reals == NULL && !corpus_whole(word, &numbers[i])) {
            reals = corpus_memory(count, sizeof *reals);
            for (size_t k = 0; k < i; k++) {
                reals[k] = (double)numbers[k];
            }
        }
        if (reals != NULL) {
            char *end;
            reals[i] = strtod(word, &end);
            if (*end != '\0') {
                corpus_refuse(file, "expected a number");
            }
        }
    }
    tensor->numbers = reals == NULL ? numbers : NULL;
    tensor->reals = reals;
}

void corpus_tensor(corpus_file *file, const char *type, case_tensor *tensor) {
    memset(tensor, 0, sizeof *tensor);
    for (int32_t i = OPMILL_FLOAT; i <= OPMILL_FLOAT6E3M2; i++) {
        tensor->type = corpus_is(type, type_name(i)) ? i : tensor->type;
    }
    if (tensor->type == OPMILL_UNDEFINED) {
        corpus_refuse(file, "expected an element type");
    }
    tensor->rank = corpus_dims(file, &tensor->dims);
    const size_t count =
        (size_t)count_of(tensor->dims, tensor->rank) * (size_t)type_parts(tensor->type);
    if (count > 0 && tensor->type == OPMILL_STRING) {
        read_texts(file, tensor, count);
    } else if (count > 0) {
        char *const word = corpus_need(file);
        if (corpus_is(word, "bits")) {
            read_bits(file, tensor, count);
        } else {
            read_numbers(file, tensor, word, count);
        }
    }
    if (corpus_word(file) != NULL) {
        corpus_refuse(file, "more elements than the dims say");
    }
}
