/* The cases of an operator, as a file of the corpus has them. */
#ifndef CORPUS_READER_H
#define CORPUS_READER_H

#include <stdbool.h>

#include "runner.h"

enum { MAX_ITEMS = 64, MAX_ROWS = 1024 };

typedef struct corpus_operator {
    const char *domain, *name;
    int64_t versions[MAX_ITEMS];
    struct {
        int64_t version;
        const char *type;
        double rtol, atol;
    } accuracies[MAX_ROWS];
    struct {
        const char *name, *versions;
    } errata[MAX_ROWS];
    int version_count, accuracy_count, erratum_count;
} corpus_operator;

typedef struct corpus_case {
    bool is_reject, is_left_out; /* left out is what a corpus_call cannot hold */
    const char *name, *versions, *message;
    const char *rests_on[MAX_ITEMS];
    corpus_attribute attributes[MAX_ITEMS];
    corpus_tensor inputs[MAX_ITEMS], outputs[MAX_ITEMS];
    int rests_on_count, attribute_count, input_count, output_count;
} corpus_case;

/* Reads a file, and calls `run` for each case. A file that is not as specified ends
 * the program.
 */
void corpus_read(const char *path, corpus_operator *operator,
                 void (*run)(const corpus_operator *operator, const corpus_case *one));

/* Whether a list of versions has one. */
bool corpus_has_version(const char *list, int64_t version);

/* Releases the memory of corpus_memory that is newer than this call's result. */
const void *corpus_newest(void);
void corpus_release(const void *newest);

/* Ends the program, with the file and the line that is read. */
void corpus_refuse(const char *what);

#endif
