/* Inputs and attributes that are packed before a call: opmill_prepare, and the blocks of
 * context->prepared.
 *
 * A block begins with a head that states what it is for. The rest is the packed form: numbers
 * alone, which no kernel takes for a size or an offset, so that damage there can change results
 * and nothing else. */
#ifndef OPMILL_RUNTIME_PREPARED_H
#define OPMILL_RUNTIME_PREPARED_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/operator.h"
#include "runtime/call/driver.h"

enum { OPMILL_PACKING_KEYS = 8 };

/* The packed form of one input or of the attributes, as a family describes it. `bytes` is 0 where
 * there is none. `keys` are all that the packed form depends on, apart from the operator version,
 * the instruction set and the input's type and shape. */
typedef struct opmill_packing {
    const opmill_operator *operator;
    const opmill_tensor *const *inputs; /* as many as the operator has; NULL where unknown */
    const void *attributes;
    int32_t input; /* the position of the one to be packed, which is there, or of the attributes */
    uint64_t bytes;
    int64_t keys[OPMILL_PACKING_KEYS];
    /* True if the form is unknown, as an input that it depends on has no data: only in calls that
     * do not compute. */
    bool lacks_data;
} opmill_packing;

/* The member of the attribute struct that holds an attribute, which the version has; for a family's
 * function. */
const void *opmill_packing_attribute(const opmill_packing *packing, const char *name);

/* A key for the contents of an input, as zero points, 0 for an absent one. */
int64_t opmill_packing_contents(opmill_packing *packing, int32_t input);

/* A digest of some of the values of a list, from the digest of others: it tells most lists from
 * each other in a time that does not depend on their length. */
uint64_t opmill_packing_sample(uint64_t digest, const opmill_tensor *list);

/* Refuses blocks that do not belong to a call which has passed all other checks. */
int opmill_prepared_check(const opmill_call *call);

/* The packed form of an input of a checked call, or that of the attributes; NULL if it is not
 * packed. */
const void *opmill_prepared_form(const opmill_context *context, int32_t input);

#endif
