/* CategoryMapper: the strings or the integers enter a table, in which each element is looked up.
 * Without integers, the position of a string stands for it. */
#include "families/category_mapper/kernel.h"

#include "runtime/estimators/lookup.h"

size_t opmill_category_mapper_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                              const opmill_category_mapper_plan *plan,
                                              const opmill_context *context) {
    (void)X;
    (void)Y;
    (void)context;
    return opmill_lookup_bytes(plan->cats_strings.dims[0]);
}

static void map_texts(const opmill_tensor *X, opmill_tensor *Y, int64_t count,
                      const opmill_category_mapper_plan *plan, opmill_lookup *lookup) {
    const char *const *const x = X->data;
    const int64_t *const integers = plan->cats_int64s.data,
                         otherwise = *(const int64_t *)plan->default_int64.data;
    const bool has_integers = plan->cats_int64s.type != OPMILL_UNDEFINED;
    int64_t *const y = Y->data;
    for (int64_t i = 0; i < count; i++) {
        const int64_t position = opmill_lookup_text(lookup, x[i]);
        y[i] = position < 0 ? otherwise : has_integers ? integers[position] : position;
    }
}

static void map_integers(const opmill_tensor *X, opmill_tensor *Y, int64_t count,
                         const opmill_category_mapper_plan *plan, opmill_lookup *lookup) {
    const int64_t *const x = X->data;
    const char *const *const texts = plan->cats_strings.data;
    const char *const otherwise = *(const char *const *)plan->default_string.data;
    const bool has_integers = plan->cats_int64s.type != OPMILL_UNDEFINED;
    const char **const y = Y->data;
    for (int64_t i = 0; i < count; i++) {
        const bool is_position = x[i] >= 0 && x[i] < plan->cats_strings.dims[0];
        const int64_t position = has_integers
                                     ? opmill_lookup_number(lookup, opmill_lookup_integer(x[i]))
                                 : is_position ? x[i]
                                               : -1;
        y[i] = position < 0 ? otherwise : texts[position];
    }
}

int opmill_category_mapper_compute(const opmill_tensor *X, opmill_tensor *Y,
                                   const opmill_category_mapper_plan *plan,
                                   opmill_context *context) {
    opmill_lookup lookup;
    int64_t count = 1;
    for (int32_t i = 0; i < X->rank; i++) {
        count *= X->dims[i];
    }
    if (X->type == OPMILL_STRING) {
        opmill_lookup_begin(&lookup, &plan->cats_strings, context->workspace);
        map_texts(X, Y, count, plan, &lookup);
        return OPMILL_OK;
    }
    if (plan->cats_int64s.type != OPMILL_UNDEFINED) {
        opmill_lookup_begin(&lookup, &plan->cats_int64s, context->workspace);
    }
    map_integers(X, Y, count, plan, &lookup);
    return OPMILL_OK;
}
