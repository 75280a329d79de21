/* Shapes of a variadic output, one after the other, as a rule derives them. */
#ifndef OPMILL_SHAPES_H
#define OPMILL_SHAPES_H

#include "runtime/call/rules.h"

/* The shapes of a variadic output, which a rule gives one after the other. There may be any number
 * of them and there is no memory to hold them, so each is stored where the caller of `infer` wants
 * it, or compared with the output that the caller of `run` offers; of these the first that has
 * another shape is stored. Where neither is there, the shapes are only looked at. */
typedef struct opmill_shapes {
    opmill_shape *stored;             /* NULL where nobody wants them */
    opmill_tensor *const *offered;    /* NULL where there are none yet */
    int32_t count;                    /* number of values that the call requests */
    int32_t type;                     /* of them all, unless `like` is set */
    const opmill_tensor *const *like; /* inputs whose types they have, one each; or NULL */
    int32_t like_count;
    int32_t given;       /* how many the rule has given */
    int32_t unlike;      /* the number of the first output of another shape, or `count` */
    opmill_shape wanted; /* the shape that this one should have */
    int64_t negative;    /* a dim below 0, which no rule gives; 0 for none */
    bool too_large;      /* whether one is larger than memory can be */
} opmill_shapes;

/* The type of a value; OPMILL_UNDEFINED where no input determines it. */
static inline int32_t opmill_shapes_type(const opmill_shapes *shapes, int32_t at) {
    if (shapes->like == NULL) {
        return shapes->type;
    }
    return at < shapes->like_count ? shapes->like[at]->type : OPMILL_UNDEFINED;
}

/* Shapes of values without a type are left out, so that their number is an error. */
void opmill_give_shape(opmill_shapes *shapes, opmill_ints dims);

#endif
