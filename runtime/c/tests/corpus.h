/* The lines of a file of the corpus, and the values in them. What is not as the format says ends
 * the program. */
#ifndef OPMILL_TEST_CORPUS_H
#define OPMILL_TEST_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cases.h"

typedef struct corpus_file {
    char path[1024];
    char *next; /* the line after this one; NULL after the last */
    char *at;   /* what is not read of this line yet */
    int line;
    bool has_nul; /* whether a text of this case has a NUL, which ends it in C */
} corpus_file;

/* The file stays in memory: names and texts point into it. */
void corpus_open(corpus_file *file, const char *domain, const char *operator);

/* Goes to the next line that is not empty; false after the last. */
bool corpus_line(corpus_file *file);

/* The next word or text of the line; NULL at its end. */
char *corpus_word(corpus_file *file);

/* The same where there must be one. */
char *corpus_need(corpus_file *file);

bool corpus_is(const char *word, const char *other);

/* A whole number; false where an int64_t does not hold it. Those above it that an uint64_t holds
 * become its bits. */
bool corpus_whole(const char *word, int64_t *number);

/* A tensor behind its type. */
void corpus_tensor(corpus_file *file, const char *type, case_tensor *tensor);

/* Dims, as [2,3]; returns their number. */
int32_t corpus_dims(corpus_file *file, const int64_t **dims);

/* Ends the program: the place, and what is wrong there. */
void corpus_refuse(const corpus_file *file, const char *what);

/* Memory full of zeros, which is not freed. */
void *corpus_memory(size_t count, size_t size);

#endif
