/* A call's inputs and attributes in memory, each in blocks of its own. */
#ifndef OPMILL_FUZZ_ARGUMENTS_H
#define OPMILL_FUZZ_ARGUMENTS_H

#include "call.h"
#include "memory.h"

typedef struct call_arguments {
    const opmill_tensor *const *inputs;
    int32_t input_count;
    const void *attributes;
    bool lacking;   /* infer may accept it, run may not: data that is not there, or odd */
    bool laborious; /* it could be computed, but would take too long here */
    memory blocks;
} call_arguments;

void arguments_begin(call_arguments *arguments, const call *from);
void arguments_end(call_arguments *arguments);

/* The bytes of so many elements; 16 for each of what is no type. */
size_t elements_bytes(int32_t type, int64_t count);

/* The elements of a tensor, or `limit` where there are as many or more. */
int64_t elements_below(const int64_t *dims, int32_t rank, int64_t limit);

/* True if two tensors of a floating type are the same within an accuracy; NaN is as good as NaN. */
bool same_elements(const opmill_tensor *a, const opmill_tensor *b, double rtol, double atol);

#endif
