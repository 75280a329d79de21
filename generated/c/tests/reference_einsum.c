/* All sums by an odometer over all letters, each product from the inputs. */
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

enum { MOST = 128 };

static int is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/* The labels of a term: letters, and 1, 2, ... for dims under dots. Returns where it ends. */
static const char *labels_of(const char *at, int covered, char *labels, int *count) {
    *count = 0;
    for (; *at != '\0' && *at != ',' && *at != '-'; at++) {
        if (is_letter(*at)) {
            labels[(*count)++] = *at;
        } else if (*at == '.') {
            for (int q = 1; q <= covered; q++) {
                labels[(*count)++] = (char)q;
            }
            at += 2;
        }
    }
    return at;
}

static uint64_t whole_at(const opmill_tensor *x, int64_t i) {
    switch (type_bytes(x->type, 1)) {
    case 1:
        return ((const uint8_t *)x->data)[i];
    case 2:
        return ((const uint16_t *)x->data)[i];
    case 4:
        return ((const uint32_t *)x->data)[i];
    default:
        return ((const uint64_t *)x->data)[i];
    }
}

void reference_einsum(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes,
                      const opmill_tensor *const *outputs, int32_t output_count) {
    const char *const text = *(const char *const *)attribute_of(operator, attributes, "equation");
    const opmill_tensor *const y = outputs[0];
    const bool real = y->type == OPMILL_FLOAT || y->type == OPMILL_DOUBLE ||
                      y->type == OPMILL_FLOAT16 || y->type == OPMILL_BFLOAT16;
    const int64_t size = count_of(y->dims, y->rank);
    int64_t sizes[MOST] = {0}, index[MOST] = {0}, dims[MOST];
    char labels[MOST], all[MOST];
    int covered = 0, count, total = 0, times[MOST] = {0};
    const char *at = text;
    (void)output_count;
    for (int32_t k = 0; k < input_count; k++) { /* the dims under dots */
        int letters = 0, dots = 0;
        for (; *at != '\0' && *at != ',' && *at != '-'; at++) {
            letters += is_letter(*at);
            dots = dots || *at == '.';
        }
        covered = dots ? inputs[k]->rank - letters : covered;
        at += *at == ',';
    }
    at = text;
    for (int32_t k = 0; k < input_count; k++) {
        at = labels_of(at, covered, labels, &count);
        at += *at == ',';
        for (int i = 0; i < count; i++) {
            int64_t *const known = &sizes[(int)labels[i]];
            *known =
                times[(int)labels[i]] == 0 || inputs[k]->dims[i] != 1 ? inputs[k]->dims[i] : *known;
            times[(int)labels[i]]++;
        }
    }
    char wanted[MOST];
    int rank = 0;
    if (*at == '-') {
        (void)labels_of(at + 2, covered, wanted, &rank);
    } else {
        for (int q = 1; q < MOST; q++) {
            if (q <= covered || (is_letter((char)q) && times[q] == 1)) {
                wanted[rank++] = (char)q;
            }
        }
    }
    for (int q = 1; q < MOST; q++) {
        if (times[q] > 0 || memchr(wanted, q, (size_t)rank) != NULL) {
            dims[total] = sizes[q];
            all[total++] = (char)q;
        }
    }
    double *const sums = calloc((size_t)size + 1, sizeof *sums);
    uint64_t *const wholes = calloc((size_t)size + 1, sizeof *wholes);
    if (sums == NULL || wholes == NULL) {
        abort();
    }
    if (count_of(dims, total) > 0) {
        do {
            int64_t own[MOST], positions[MOST];
            double number = 1;
            uint64_t whole = 1;
            for (int i = 0; i < total; i++) {
                positions[(int)all[i]] = index[i];
            }
            at = text;
            for (int32_t k = 0; k < input_count; k++) {
                at = labels_of(at, covered, labels, &count);
                at += *at == ',';
                for (int i = 0; i < count; i++) {
                    own[i] = inputs[k]->dims[i] == 1 ? 0 : positions[(int)labels[i]];
                }
                const int64_t position = position_of(own, inputs[k]->dims, count);
                if (real) {
                    number *= get_real(inputs[k]->data, inputs[k]->type, position);
                } else {
                    whole *= whole_at(inputs[k], position);
                }
            }
            for (int i = 0; i < rank; i++) {
                own[i] = positions[(int)wanted[i]];
            }
            const int64_t position = position_of(own, y->dims, rank);
            sums[position] += number;
            wholes[position] += whole;
        } while (next_index(index, dims, total));
    }
    for (int64_t i = 0; i < size; i++) {
        if (real) {
            set_real(y->data, y->type, i, sums[i]);
        } else {
            set_bits(y->data, y->type, i, wholes[i]);
        }
    }
    free(sums);
    free(wholes);
}
