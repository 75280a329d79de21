/* Looks characters up in tables of Unicode and of classes. */
#include "runtime/regex/characters.h"

#include <string.h>

#include "runtime/regex/cases.h"
#include "runtime/regex/categories.h"

enum { MAX_RANGES = 4, ALTERNATES = 32 };

struct regex_class {
    const char *name;
    int32_t count;
    int32_t ranges[MAX_RANGES][2];
};

/* In alphabetical order of the categories. */
static const char CATEGORY_NAMES[][3] = {
    "Cc", "Cf", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl", "No",
    "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs",
};
enum {
    LOWER = 4,
    UPPER = 8,
    CATEGORY_COUNT = sizeof CATEGORY_NAMES / sizeof *CATEGORY_NAMES /* the number of no category */
};

static const struct regex_class CLASSES[] = {
    {"alnum", 3, {{48, 57}, {65, 90}, {97, 122}}},
    {"alpha", 2, {{65, 90}, {97, 122}}},
    {"ascii", 1, {{0, 127}}},
    {"blank", 2, {{9, 9}, {32, 32}}},
    {"cntrl", 2, {{0, 31}, {127, 127}}},
    {"digit", 1, {{48, 57}}},
    {"graph", 1, {{33, 126}}},
    {"lower", 1, {{97, 122}}},
    {"print", 1, {{32, 126}}},
    {"punct", 4, {{33, 47}, {58, 64}, {91, 96}, {123, 126}}},
    {"space", 2, {{9, 13}, {32, 32}}},
    {"upper", 1, {{65, 90}}},
    {"word", 4, {{48, 57}, {65, 90}, {95, 95}, {97, 122}}},
    {"xdigit", 3, {{48, 57}, {65, 70}, {97, 102}}},
    /* Perl's, which lacks the vertical tabulator; '\d' and '\w' are the same as POSIX's. */
    {"s", 3, {{9, 10}, {12, 13}, {32, 32}}},
};

const struct regex_class *opmill_regex_class(const char *name, size_t size) {
    for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++) {
        if (strlen(CLASSES[i].name) == size && memcmp(CLASSES[i].name, name, size) == 0) {
            return &CLASSES[i];
        }
    }
    return NULL;
}

uint32_t opmill_regex_categories(const char *name, size_t size) {
    uint32_t found = 0;
    for (int32_t i = 0; i < CATEGORY_COUNT && size >= 1 && size <= 2; i++) {
        found |= memcmp(CATEGORY_NAMES[i], name, size) == 0 ? UINT32_C(1) << i : 0;
    }
    return found;
}

/* The number of a character's category. */
static int32_t category_of(int32_t code) {
    size_t first = 0, end = sizeof CATEGORY_RUNS / sizeof *CATEGORY_RUNS;
    if (code < 0 || code > REGEX_MAX_CHARACTER) {
        return CATEGORY_COUNT;
    }
    while (end - first > 1) { /* the run that begins at `code` or last before it */
        const size_t middle = first + (end - first) / 2;
        if ((int32_t)(CATEGORY_RUNS[middle] >> 6) <= code) {
            first = middle;
        } else {
            end = middle;
        }
    }
    const uint32_t run = CATEGORY_RUNS[first];
    const int32_t category = (int32_t)(run & (ALTERNATES - 1));
    const bool is_other = (run & ALTERNATES) != 0 && ((uint32_t)code - (run >> 6)) % 2 == 1;
    return is_other ? LOWER + UPPER - category : category;
}

bool opmill_regex_is_word(int32_t code) {
    const int32_t category = category_of(code);
    return code == '_' || (category < CATEGORY_COUNT && (CATEGORY_NAMES[category][0] == 'L' ||
                                                         CATEGORY_NAMES[category][0] == 'N'));
}

/* The next one of a character's cases, which are a circle; the character itself where it has one.
 */
static int32_t next_case(int32_t code) {
    size_t first = 0, end = sizeof CASE_RANGES / sizeof *CASE_RANGES;
    while (end - first > 1) { /* the range that begins at `code` or last before it */
        const size_t middle = first + (end - first) / 2;
        if (CASE_RANGES[middle].first <= code) {
            first = middle;
        } else {
            end = middle;
        }
    }
    const case_range *const range = &CASE_RANGES[first];
    if (code < range->first || code > range->last) {
        return code;
    }
    return range->change != 0               ? code + range->change
           : (code - range->first) % 2 == 0 ? code + 1
                                            : code - 1;
}

/* True if an item that is not negated means this very character. */
static bool means(const regex_item *item, int32_t code) {
    if (item->categories != 0) {
        return (item->categories >> category_of(code) & 1) != 0;
    }
    if (item->named == NULL) {
        return code >= item->low && code <= item->high;
    }
    for (int32_t i = 0; i < item->named->count; i++) {
        if (code >= item->named->ranges[i][0] && code <= item->named->ranges[i][1]) {
            return true;
        }
    }
    return false;
}

bool opmill_regex_has(const regex_item *item, int32_t code) {
    int32_t one = code;
    bool is_meant = means(item, one);
    while (!is_meant && item->folds && (one = next_case(one)) != code) {
        is_meant = means(item, one);
    }
    return is_meant != item->is_negated;
}
