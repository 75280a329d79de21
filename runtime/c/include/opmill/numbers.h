/* Attributes that are numbers and may be absent. */
#ifndef OPMILL_NUMBERS_H
#define OPMILL_NUMBERS_H

#include <stdint.h>

/* An attribute of kind INT that may be absent and has no default. */
typedef struct opmill_int {
    int64_t value;   /* ignored where the attribute is absent */
    int32_t present; /* 1 for a value, 0 for an absent attribute */
} opmill_int;

/* An attribute of kind FLOAT that may be absent and has no default. */
typedef struct opmill_float {
    float value;     /* ignored where the attribute is absent */
    int32_t present; /* 1 for a value, 0 for an absent attribute */
} opmill_float;

/* An absent attribute of kind INT, for an initializer. */
#define OPMILL_INT_ABSENT {0, 0}

/* An absent attribute of kind FLOAT, for an initializer. */
#define OPMILL_FLOAT_ABSENT {0.0f, 0}

#endif
