/* Slow computations that are plainly right, one a family, to judge the kernels by. */
#ifndef OPMILL_TEST_REFERENCE_H
#define OPMILL_TEST_REFERENCE_H

#include <stdint.h>

#include "opmill/operator.h"

/* Fills the outputs of a legal call, whose types and dims are set; NULL for an absent one. */
typedef void reference_function(const opmill_operator *operator, const opmill_tensor *const *inputs,
                                int32_t input_count, const void *attributes,
                                const opmill_tensor *const *outputs, int32_t output_count);

/* What references.c says of an operator version. */
typedef struct reference_entry {
    const char *domain, *name;
    int32_t since_version;
    reference_function *reference;      /* NULL where the family has none */
    const char *const (*parameters)[2]; /* of the family: names and values, up to a NULL */
} reference_entry;

/* Ends with one without a name. */
extern const reference_entry reference_entries[];

/* The reference of a version; NULL where its family has none. */
reference_function *reference_of(const opmill_operator *operator);

/* A parameter of an operator's family as a string; NULL if it has no such parameter. */
const char *family_parameter(const opmill_operator *operator, const char *name);

/* The value of an attribute of a call, in its struct or among the defaults; NULL where the version
 * has no such attribute, and where a call leaves out a number without a default. */
const void *attribute_of(const opmill_operator *operator, const void *attributes, const char *name);

/* An attribute of kind INT; `otherwise` where the call, or the version, has none. */
int64_t int_of(const opmill_operator *operator, const void *attributes, const char *name,
               int64_t otherwise);

/* The attribute `axis`, counted from the front; `otherwise` where the call has none. */
int64_t axis_of(const opmill_operator *operator, const void *attributes, int32_t rank,
                int64_t otherwise);

/* The odometer of row-major order: the next index, 0 after the last one. */
int next_index(int64_t *index, const int64_t *dims, int32_t rank);

/* The position of an index in row-major order. */
int64_t position_of(const int64_t *index, const int64_t *dims, int32_t rank);

/* Zeros the last byte of an output: what packed elements leave over of it is 0. */
void clear_last_byte(const opmill_tensor *output);

/* Element `from` of a tensor becomes element `to` of another of its type. */
void copy_element(const opmill_tensor *target, int64_t to, const opmill_tensor *source,
                  int64_t from);

#endif
