/* Attributes that are numbers and may be absent. */
#ifndef OPMILL_NUMBERS_H
#define OPMILL_NUMBERS_H

#include <stdint.h>

/* An attribute of kind INT or FLOAT that a call may lack and that has no default. */
typedef struct opmill_int {
    int64_t value;
    int32_t present; /* 1 where the call gives the value; 0 where it does not */
} opmill_int;

typedef struct opmill_float {
    float value;
    int32_t present;
} opmill_float;

/* Absent ones, for an initializer. */
#define OPMILL_INT_ABSENT {0, 0}
#define OPMILL_FLOAT_ABSENT {0.0f, 0}

#endif
