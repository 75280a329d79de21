/* Mutations of calls. One of random bytes would be refused for its first fault nearly always, and
 * never reach a kernel; so most of these keep together what must fit together: an axis is added to
 * all tensors and lists that have one value an axis, a size is changed wherever it is. */
#include <string.h>

#include "call.h"
#include "values.h"
#include "opmill/operators.h"

static uint64_t state;

static int64_t below(int64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)((state >> 16) % (uint64_t)limit);
}

/* All numbers of a call that say how large or how many something is. */
typedef struct numbers {
    int32_t count;
    int64_t *at[CALL_INPUTS * 2 * 16 + CALL_ATTRIBUTES * 17];
} numbers;

static void gather(numbers *all, call_numbers *from) {
    for (int32_t i = 0; i < from->count && i < 16; i++) {
        all->at[all->count++] = &from->values[i];
    }
}

static int32_t kind_of(const call *from, int32_t attribute) {
    return from->operator->attributes[from->attributes[attribute].index].kind;
}

static void gather_all(numbers *all, call *from) {
    all->count = 0;
    for (int32_t i = 0; i < from->tensor_count; i++) {
        gather(all, &from->tensors[i].dims);
        gather(all, &from->tensors[i].values);
    }
    for (int32_t i = 0; i < from->attribute_count; i++) {
        if (kind_of(from, i) == OPMILL_KIND_INT) {
            all->at[all->count++] = &from->attributes[i].number;
        }
        gather(all, &from->attributes[i].values);
    }
}

static int64_t any_number(void) {
    static const int64_t EDGES[] = {-1,
                                    -2,
                                    63,
                                    64,
                                    65,
                                    127,
                                    255,
                                    256,
                                    1000,
                                    4096,
                                    INT32_MAX,
                                    INT32_MIN,
                                    INT64_MAX,
                                    INT64_MIN,
                                    INT64_MAX - 1,
                                    INT64_C(1) << 31,
                                    INT64_C(1) << 61,
                                    INT64_C(1) << 62};
    const int64_t sort = below(16);
    return sort < 9    ? below(6)
           : sort < 14 ? below(40)
           : sort < 15 ? below(150)
                       : EDGES[below(sizeof EDGES / sizeof EDGES[0])];
}

static int64_t changed_number(const numbers *all, int64_t number) {
    switch (below(8)) {
    case 0:
        return number < INT64_MAX ? number + 1 : number;
    case 1:
        return number > INT64_MIN ? number - 1 : number;
    case 2:
        return number > 0 && number < 64 ? number * (1 + below(4)) : number / 2;
    case 3:
        return *all->at[below(all->count)];
    default:
        return any_number();
    }
}

static void change_one_number(call *changed) {
    numbers all;
    gather_all(&all, changed);
    if (all.count > 0) {
        int64_t *const at = all.at[below(all.count)];
        *at = changed_number(&all, *at);
    }
}

/* The same change to every number that is the same, or to some of them. */
static void change_equal_numbers(call *changed) {
    numbers all;
    gather_all(&all, changed);
    if (all.count == 0) {
        return;
    }
    const int64_t old = *all.at[below(all.count)], new = changed_number(&all, old);
    const bool some = below(2) == 0;
    for (int32_t i = 0; i < all.count; i++) {
        if (*all.at[i] == old && (!some || below(2) == 0)) {
            *all.at[i] = new;
        }
    }
}

static void insert(call_numbers *list, int32_t at, int64_t number) {
    if (list->count < CALL_VALUES) {
        memmove(list->values + at + 1, list->values + at,
                (size_t)(list->count - at) * sizeof list->values[0]);
        list->values[at] = number;
        list->count++;
    }
}

static void erase(call_numbers *list, int32_t at) {
    memmove(list->values + at, list->values + at + 1,
            (size_t)(list->count - at - 1) * sizeof list->values[0]);
    list->count--;
}

/* Adds or removes one value an axis at the end of a list, or in both halves of one that has two. */
static bool change_list(call_numbers *list, int32_t axes, bool more) {
    int32_t at = list->count == axes || list->count == axes - 2             ? list->count
                 : list->count == 2 * axes || list->count == 2 * (axes - 2) ? list->count / 2
                                                                            : -1;
    const bool halves = at >= 0 && at < list->count;
    if (at < 0 || (!more && list->count == 0)) {
        return false;
    }
    if (more) {
        const int64_t last = list->count > 0 ? list->values[list->count - 1] : 1;
        insert(list, list->count, last);
        if (halves) {
            insert(list, at, last);
        }
    } else {
        erase(list, list->count - 1);
        if (halves) {
            erase(list, at - 1);
        }
    }
    return true;
}

/* An axis more or less at the end of all tensors of one rank, and of what has a value for each. */
static void change_axes(call *changed) {
    if (changed->tensor_count == 0) {
        return;
    }
    const int32_t axes = changed->tensors[below(changed->tensor_count)].rank;
    const bool more = below(2) == 0;
    if (axes < 0 || axes > OPMILL_MAX_RANK || (!more && axes == 0)) {
        return;
    }
    for (int32_t i = 0; i < changed->tensor_count; i++) {
        call_tensor *const tensor = &changed->tensors[i];
        const bool listed = tensor->rank == 1 && tensor->dims.count == 1 &&
                            tensor->content == CONTENT_VALUES && tensor->values.count == axes &&
                            tensor->dims.values[0] == axes && i > 0;
        if (listed) {
            change_list(&tensor->values, axes, more);
            tensor->dims.values[0] = tensor->values.count;
        } else if (tensor->rank == axes && tensor->dims.count == axes) {
            if (more) {
                insert(&tensor->dims, tensor->dims.count, 1 + below(3));
            } else {
                erase(&tensor->dims, tensor->dims.count - 1);
            }
            tensor->rank = tensor->dims.count;
        }
    }
    for (int32_t i = 0; i < changed->attribute_count; i++) {
        call_attribute *const attribute = &changed->attributes[i];
        if (call_is_list(kind_of(changed, i)) && attribute->number == attribute->values.count &&
            change_list(&attribute->values, axes, more)) {
            attribute->number = attribute->values.count;
        }
    }
}

/* A list of many large values: as long as a message can be, and longer. */
static void lengthen(call *changed) {
    const int32_t count = (int32_t)below(CALL_VALUES + 1);
    const int64_t value = below(2) == 0 ? 1 : any_number();
    call_numbers *list = NULL;
    if (changed->attribute_count > 0 && below(2) == 0) {
        const int32_t index = (int32_t)below(changed->attribute_count);
        if (call_is_list(kind_of(changed, index))) {
            list = &changed->attributes[index].values;
            changed->attributes[index].number = count;
        }
    } else if (changed->tensor_count > 0) {
        call_tensor *const tensor = &changed->tensors[below(changed->tensor_count)];
        list = &tensor->dims;
        tensor->rank = count;
    }
    for (int32_t i = 0; list != NULL && i < count; i++) {
        list->values[i] = i < list->count && below(4) > 0 ? list->values[i] : value;
    }
    if (list != NULL) {
        list->count = count;
    }
}

static void change_rank(call *changed) {
    if (changed->tensor_count == 0) {
        return;
    }
    static const int32_t RANKS[] = {-1, 0, 1, 2, 3, 4, 5, 63, 64, 65, 71, INT32_MAX, INT32_MIN};
    call_tensor *const tensor = &changed->tensors[below(changed->tensor_count)];
    tensor->rank = RANKS[below(sizeof RANKS / sizeof RANKS[0])];
    const int32_t count = tensor->rank < 0             ? 0
                          : tensor->rank > CALL_VALUES ? CALL_VALUES
                                                       : tensor->rank;
    for (int32_t i = tensor->dims.count; i < count; i++) {
        tensor->dims.values[i] = 1;
    }
    tensor->dims.count = count;
}

/* Another type for all inputs of a type variable; sometimes any number for one of them. */
static void change_type(call *changed) {
    const opmill_operator *const operator = changed->operator;
    if (changed->tensor_count == 0 || operator->input_count == 0) {
        return;
    }
    const int32_t chosen = (int32_t)below(changed->tensor_count);
    if (below(8) == 0) {
        static const int32_t WRONG[] = {0, -1, 29, INT32_MAX, INT32_MIN};
        changed->tensors[chosen].type =
            below(2) == 0 ? WRONG[below(5)] : (int32_t)below(OPMILL_FLOAT6E3M2 + 1);
        return;
    }
    const opmill_parameter *const parameter =
        &operator->inputs[chosen < operator->input_count ? chosen : operator->input_count - 1];
    const int32_t type = type_element(parameter->types[below(parameter->type_count)]);
    for (int32_t i = 0; i < changed->tensor_count; i++) {
        const opmill_parameter *const other =
            &operator->inputs[i < operator->input_count ? i : operator->input_count - 1];
        if (i == chosen || (parameter->variable >= 0 && other->variable == parameter->variable)) {
            changed->tensors[i].type = type;
        }
    }
}

static void change_content(call *changed) {
    if (changed->tensor_count == 0) {
        return;
    }
    call_tensor *const tensor = &changed->tensors[below(changed->tensor_count)];
    tensor->seed = (uint8_t)below(256);
    if (below(2) == 0) {
        tensor->content = (uint8_t)below(CONTENT_COUNT);
    }
}

/* A call of the tables for the same version, whose parts are worth having. */
static bool pick(const call *like, call *picked) {
    const char *name;
    for (int tries = 0; tries < 64; tries++) {
        if (call_seed((int32_t)below(call_seed_count()), picked, &name) &&
            picked->operator == like->operator) {
            return true;
        }
    }
    return false;
}

static void spoil_attribute(call_attribute *changed, int32_t kind) {
    if (call_is_text(kind)) {
        if (changed->length > 0 && below(4) > 0) {
            changed->text[below(changed->length)] = (char)(1 + below(255));
        } else {
            changed->length = (int32_t)below(2) - 1;
            changed->text[0] = '\0';
        }
    } else if (!call_is_list(kind)) {
        changed->number = any_number();
    } else if (changed->number == changed->values.count && changed->number > 0 && below(4) > 0) {
        changed->number = --changed->values.count;
    } else { /* a list that is NULL, or absent */
        changed->number = below(2) == 0 ? -1 : any_number();
        changed->values.count = 0;
    }
}

static void change_attribute(call *changed) {
    static call picked; /* too large for a stack */
    const int64_t sort = below(8);
    if (changed->operator->attribute_count == 0) {
        return;
    }
    if (sort == 0 || (sort == 1 && changed->attribute_count == CALL_ATTRIBUTES)) {
        if (changed->attribute_count > 0) {
            changed->attribute_count--;
            changed->attributes[below(changed->attribute_count + 1)] =
                changed->attributes[changed->attribute_count];
        }
    } else if (sort < 6 && changed->attribute_count < CALL_ATTRIBUTES) {
        if (pick(changed, &picked) && picked.attribute_count > 0) {
            changed->spoiled &= (uint8_t)~CALL_NO_ATTRIBUTES;
            changed->attributes[changed->attribute_count++] =
                picked.attributes[below(picked.attribute_count)];
        }
    } else if (changed->attribute_count > 0) {
        const int32_t index = (int32_t)below(changed->attribute_count);
        spoil_attribute(&changed->attributes[index], kind_of(changed, index));
    }
}

/* How the call is made: nothing of it makes a legal call illegal but a set that is not there. */
static void change_context(call *changed) {
    static const int32_t WRONG[] = {-1, 6, 99, INT32_MAX, INT32_MIN};
    const int32_t which = (int32_t)below(2);
    const bool wrong = below(16) == 0;
    if (below(2) == 0) {
        changed->isa[which] = wrong ? WRONG[below(5)] : (int32_t)below(OPMILL_ISA_NEON + 1);
    } else {
        changed->threads[which] = wrong ? WRONG[below(5)] : (int32_t)below(6);
    }
    changed->workspace_shift = (uint8_t)below(64);
    changed->workspace = below(8) == 0 ? (uint8_t)below(WORKSPACE_COUNT) : WORKSPACE_RIGHT;
}

static void spoil(call *changed) {
    switch (below(6)) {
    case 0:
        changed->spoiled ^= (uint8_t)(1 << below(5));
        break;
    case 1:
        changed->input_count = (int32_t)(below(4) == 0 ? any_number() : below(6));
        break;
    case 2:
        changed->output_count = (int32_t)(below(4) == 0 ? any_number() : below(3));
        break;
    case 3:
        if (changed->tensor_count > 0) {
            changed->tensors[below(changed->tensor_count)].spoiled ^= (uint8_t)(1 << below(4));
        }
        break;
    default:
        changed->output = (uint8_t)below(OUTPUT_COUNT);
        changed->output_argument = below(2) == 0 ? below(32) : any_number();
        break;
    }
}

/* Takes back what spoil does, so that calls do not end up with all of it. */
static void repair(call *changed) {
    changed->spoiled &= CALL_NO_ATTRIBUTES;
    changed->output = OUTPUT_RIGHT;
    changed->workspace = WORKSPACE_RIGHT;
    if (changed->operator->output_count == 0 ||
        changed->operator->outputs[changed->operator->output_count - 1].option != OPMILL_VARIADIC) {
        changed->output_count = changed->operator->output_count;
    }
    if (changed->input_count != changed->tensor_count) {
        changed->input_count = changed->tensor_count;
    }
    for (int32_t i = 0; i < changed->tensor_count; i++) {
        changed->tensors[i].spoiled &= TENSOR_ABSENT;
    }
}

void call_mutate(call *changed, unsigned seed) {
    static void (*const SORTS[])(call *) = {
        change_one_number, change_one_number, change_equal_numbers, change_equal_numbers,
        change_axes,       change_type,       change_content,       change_attribute,
        change_attribute,  change_context,    change_rank,          spoil,
        lengthen,
    };
    state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    (void)below(2);
    if (below(3) == 0) {
        repair(changed);
    }
    if (below(8) != 0) { /* large calls are slow: few have large ones for children */
        changed->spoiled &= (uint8_t)~CALL_LARGE;
    }
    for (int64_t left = below(3) == 0 ? 1 + below(4) : 1; left > 0; left--) {
        const int64_t sort = below(sizeof SORTS / sizeof SORTS[0]);
        const bool often = SORTS[sort] == change_axes && below(8) == 0;
        for (int64_t times = often ? 1 + below(40) : 1; times > 0; times--) {
            SORTS[sort](changed);
        }
    }
}
