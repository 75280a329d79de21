/* Shapes of a variadic output or of a sequence, one after the other, as a rule derives them. */
#ifndef OPMILL_SHAPES_H
#define OPMILL_SHAPES_H

#include "runtime/call/rules.h"

/* The shapes of a variadic output, which a rule gives one after the other. There may be any number
 * of them and there is no memory to hold them, so each is stored where the caller of `infer` wants
 * it, or compared with the output that the caller of `run` offers; of these the first that has
 * another shape is stored. Where neither is there, the shapes are only looked at.
 *
 * Those of an output that is a sequence are counted. If its tensors are created, a first pass of
 * the rule finds the bytes of their block, and a second one writes them there, without elements. */
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
    bool is_sequence;
    bool creates;                /* whether the tensors of the sequence are created */
    size_t bytes;                /* of their block, so far */
    unsigned char *block;        /* aligned to OPMILL_ITEM_ALIGNMENT; NULL in the first pass */
    const opmill_tensor **items; /* the elements of the output that is a sequence; in both cases */
} opmill_shapes;

/* Of the tensors that are created for a sequence: of their elements, and of themselves. */
enum { OPMILL_ITEM_ALIGNMENT = 16 };

/* How many of the outputs that a call requests are no values of a variadic one. */
static inline int32_t opmill_shapes_listed(const opmill_shapes *shapes, int32_t output_count) {
    return shapes != NULL && !shapes->is_sequence ? output_count - shapes->count : output_count;
}

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
