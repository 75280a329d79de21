/* Activations that an operator applies to its own results, by the numbers that rules give them. */
#ifndef OPMILL_ACTIVATIONS_H
#define OPMILL_ACTIVATIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers of families/_shared/activations.py. */
enum {
    OPMILL_ACTIVATION_AFFINE,
    OPMILL_ACTIVATION_ELU,
    OPMILL_ACTIVATION_HARD_SIGMOID,
    OPMILL_ACTIVATION_LEAKY_RELU,
    OPMILL_ACTIVATION_RELU,
    OPMILL_ACTIVATION_SCALED_TANH,
    OPMILL_ACTIVATION_SIGMOID,
    OPMILL_ACTIVATION_SOFTPLUS,
    OPMILL_ACTIVATION_SOFTSIGN,
    OPMILL_ACTIVATION_TANH,
    OPMILL_ACTIVATION_THRESHOLDED_RELU, /* what equals alpha passes */
    OPMILL_ACTIVATION_ABOVE,            /* what equals alpha becomes 0 */
    OPMILL_ACTIVATION_CELU,
    OPMILL_ACTIVATION_CLIP, /* from alpha to beta */
    OPMILL_ACTIVATION_HARD_SWISH,
    OPMILL_ACTIVATION_PARAMETRIC_SOFTPLUS,
    OPMILL_ACTIVATION_SELU
};

typedef struct opmill_activation {
    int64_t number;
    double alpha, beta;
    bool clips; /* whether the argument is clipped to -limit and limit first */
    double limit;
    double gamma;
} opmill_activation;

/* Replaces `count` floats or doubles by their images. */
void opmill_activate(const opmill_activation *activation, int32_t type, int32_t isa, void *values,
                     int64_t count);

/* Computes the images in an array of their own. */
void opmill_activate_to(const opmill_activation *activation, int32_t type, int32_t isa,
                        const void *from, void *to, int64_t count);

#endif
