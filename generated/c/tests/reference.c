#include "reference.h"

#include <string.h>

#include "cases.h"
#include "values.h"

const char *family_parameter(const opmill_kernel *kernel, const char *name) {
    for (int32_t i = 0; i < case_table_count; i++) {
        const case_table *const table = case_tables[i];
        if (strcmp(table->domain, kernel->domain) != 0 || strcmp(table->name, kernel->name) != 0 ||
            table->since_version != kernel->since_version) {
            continue;
        }
        for (int32_t k = 0; k < table->parameter_count; k++) {
            if (strcmp(table->parameters[k][0], name) == 0) {
                return table->parameters[k][1];
            }
        }
    }
    return NULL;
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

void copy_element(const opmill_tensor *target, int64_t to, const opmill_tensor *source,
                  int64_t from) {
    const int64_t bytes = (int64_t)type_bytes(source->type, 1);
    for (int64_t i = 0; i < bytes; i++) {
        ((unsigned char *)target->data)[to * bytes + i] =
            ((const unsigned char *)source->data)[from * bytes + i];
    }
}
