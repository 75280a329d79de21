/* Element types of the corpus. A complex element has two parts, each with a pattern of its own. */
#ifndef CORPUS_VALUES_H
#define CORPUS_VALUES_H

#include "runner.h"

typedef struct corpus_format {
    const char *name;
    int bits;     /* of an element, or of a part of a complex one */
    char kind;    /* 'f' float, 'c' complex, 'i' integer or bool, 's' string */
    int exponent; /* of a float: the bits of its exponent, those of its fraction, and the bias */
    int fraction;
    int bias;
    char special; /* patterns that are no numbers: 'i' as in IEEE 754, 'n' the highest one, 'z' that
                   * of -0, 'x' none; 'e' the highest one, in a type without sign and fraction */
} corpus_format;

/* The format of a type; NULL for an unknown one. */
const corpus_format *corpus_format_of(const char *type);

/* 2 for a complex type, 1 for others. */
int corpus_parts(const corpus_format *format);

/* The bits of a part. */
uint64_t corpus_pattern(const void *data, int bits, int64_t index);

/* Sets a part whose bits are 0. */
void corpus_set_pattern(void *data, int bits, int64_t index, uint64_t pattern);

/* The number that a pattern is. */
double corpus_number(const corpus_format *format, uint64_t pattern);

/* The pattern of the nearest number, ties to even. */
uint64_t corpus_nearest(const corpus_format *format, double number);

#endif
