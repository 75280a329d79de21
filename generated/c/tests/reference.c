/* Finds the reference function of an operator version, reads attributes by name, and iterates over
 * indices, for the references of all families. */
#include "reference.h"

#include <string.h>

#include "opmill/numbers.h"
#include "values.h"

static const reference_entry *entry_of(const opmill_operator *operator) {
    for (const reference_entry *entry = reference_entries; entry->name != NULL; entry++) {
        if (entry->since_version == operator->since_version &&
            strcmp(entry->name, operator->name) == 0 &&
            strcmp(entry->domain, operator->domain) == 0) {
            return entry;
        }
    }
    return NULL;
}

reference_function *reference_of(const opmill_operator *operator) {
    const reference_entry *const entry = entry_of(operator);
    return entry != NULL ? entry->reference : NULL;
}

const char *family_parameter(const opmill_operator *operator, const char *name) {
    const reference_entry *const entry = entry_of(operator);
    if (entry == NULL || entry->parameters == NULL) {
        return NULL;
    }
    for (const char *const(*parameter)[2] = entry->parameters; (*parameter)[0] != NULL;
         parameter++) {
        if (strcmp((*parameter)[0], name) == 0) {
            return (*parameter)[1];
        }
    }
    return NULL;
}

static const opmill_attribute *find(const opmill_operator *operator, const char *name) {
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        if (strcmp(operator->attributes[i].name, name) == 0) {
            return &operator->attributes[i];
        }
    }
    return NULL;
}

const void *attribute_of(const opmill_operator *operator, const void *attributes,
                         const char *name) {
    const opmill_attribute *const found = find(operator, name);
    const char *const given = attributes != NULL ? attributes : operator->defaults;
    if (found == NULL) {
        return NULL;
    }
    const char *const member = given + found->offset;
    if (found->optional != 0 && found->kind == OPMILL_KIND_INT) {
        return ((const opmill_int *)(const void *)member)->present != 0 ? member : NULL;
    }
    if (found->optional != 0 && found->kind == OPMILL_KIND_FLOAT) {
        return ((const opmill_float *)(const void *)member)->present != 0 ? member : NULL;
    }
    return member;
}

int64_t int_of(const opmill_operator *operator, const void *attributes, const char *name,
               int64_t otherwise) {
    const int64_t *const given = attribute_of(operator, attributes, name);
    return given != NULL ? *given : otherwise;
}

int64_t axis_of(const opmill_operator *operator, const void *attributes, int32_t rank,
                int64_t otherwise) {
    const int64_t axis = int_of(operator, attributes, "axis", otherwise);
    return axis < 0 ? axis + rank : axis;
}

int next_index(int64_t *index, const int64_t *dims, int32_t rank) {
    for (int32_t i = rank - 1; i >= 0; i--) {
        if (++index[i] < dims[i]) {
            return 1;
        }
        index[i] = 0;
    }
    return 0;
}

int64_t position_of(const int64_t *index, const int64_t *dims, int32_t rank) {
    int64_t position = 0;
    for (int32_t i = 0; i < rank; i++) {
        position = position * dims[i] + index[i];
    }
    return position;
}

void clear_last_byte(const opmill_tensor *output) {
    const size_t bytes = type_bytes(output->type, count_of(output->dims, output->rank));
    if (bytes > 0) {
        ((unsigned char *)output->data)[bytes - 1] = 0;
    }
}

void copy_element(const opmill_tensor *target, int64_t to, const opmill_tensor *source,
                  int64_t from) {
    const int64_t bits = (int64_t)type_bytes(source->type, 8); /* eight elements have whole bytes */
    for (int64_t i = 0; bits % 8 == 0 && i < bits / 8; i++) {
        ((unsigned char *)target->data)[to * (bits / 8) + i] =
            ((const unsigned char *)source->data)[from * (bits / 8) + i];
    }
    if (bits % 8 != 0) {
        uint64_t pattern = 0;
        for (int64_t i = 0; i < bits; i++) {
            const int64_t bit = from * bits + i;
            const unsigned byte = ((const unsigned char *)source->data)[bit / 8];
            pattern |= (uint64_t)(byte >> bit % 8 & 1) << i;
        }
        set_bits(target->data, target->type, to, pattern);
    }
}
