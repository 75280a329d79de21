/* The activations of recurrent layers, by the numbers that the rule gives them. */
#ifndef OPMILL_RECURRENT_ACTIVATIONS_H
#define OPMILL_RECURRENT_ACTIVATIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct opmill_recurrent_activation {
    int64_t number;
    double alpha, beta;
    bool clips; /* whether the argument is first held between -limit and limit */
    double limit;
} opmill_recurrent_activation;

/* Replaces `count` floats or doubles by their images. */
void opmill_recurrent_activate(const opmill_recurrent_activation *activation, int32_t type,
                               int32_t isa, void *values, int64_t count);

#endif
