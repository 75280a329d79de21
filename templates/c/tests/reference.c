#include "reference.h"

#include "values.h"

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
