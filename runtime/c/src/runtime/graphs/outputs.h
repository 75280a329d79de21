/* The outputs of a call whose graphs determine them: their types and shapes are checked and
 * reported, their memory is requested or checked, and then they are written. */
#ifndef OPMILL_GRAPH_OUTPUTS_H
#define OPMILL_GRAPH_OUTPUTS_H

#include "runtime/graphs/runs.h"

/* The functions of a family. Each receives `user` and the position of an output. */
typedef struct opmill_graph_outputs {
    void *user;
    int32_t count; /* of the outputs that there are, at least those that the call requests */
    /* The type and shape, OPMILL_UNDEFINED of an optional without contents; or an error. */
    int (*shape)(void *user, int32_t output, opmill_shape *shape);
    /* Writes the elements of an output that is a tensor. */
    void (*write)(void *user, int32_t output, void *data);
    /* A tensor of an output that is a sequence. They are requested in order, from the first on. */
    const opmill_tensor *(*item)(void *user, int32_t output, int64_t index);
} opmill_graph_outputs;

int opmill_graph_return(const opmill_call *call, const opmill_graph_outputs *outputs);

#endif
