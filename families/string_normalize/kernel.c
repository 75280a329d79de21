/* StringNormalizer: stop words enter a table, in which each text is looked up; what remains is
 * copied in another case. */
#include "families/string_normalize/kernel.h"

#include <stdbool.h>
#include <string.h>

#include "families/string_normalize/letters.h"
#include "runtime/numbers/integers.h"
#include "runtime/text/strings.h"
#include "runtime/text/utf8.h"
#include "runtime/call/workspace.h"

/* Which letters change: to lower or to upper case, those of ASCII alone or all. */
typedef struct casing {
    const letter_range *ranges; /* NULL where none changes */
    int32_t count;
    bool is_upper;
    bool is_ascii;
} casing;

static casing casing_of(bool is_upper, bool is_ascii) {
    const int32_t upper = (int32_t)(sizeof UPPER / sizeof *UPPER);
    const int32_t lower = (int32_t)(sizeof LOWER / sizeof *LOWER);
    return (casing){is_upper ? UPPER : LOWER, is_upper ? upper : lower, is_upper, is_ascii};
}

static const casing UNCHANGED = {NULL, 0, false, false};

static int32_t letter_of(const casing *to, int32_t code) {
    if (to->ranges == NULL) {
        return code;
    }
    if (code < 0x80) {
        const bool changes = to->is_upper ? code >= 'a' && code <= 'z' : code >= 'A' && code <= 'Z';
        return changes ? code ^ 0x20 : code;
    }
    if (to->is_ascii) {
        return code;
    }
    int32_t first = 0, end = to->count; /* the last range that begins at `code` or before it */
    while (first < end) {
        const int32_t middle = first + (end - first) / 2;
        if (to->ranges[middle].first <= code) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    const letter_range *const range = &to->ranges[first - (first > 0)];
    const bool changes =
        code >= range->first && code <= range->last && (code - range->first) % range->step == 0;
    return changes ? code + range->change : code;
}

/* The next letter of a text, changed; 0 at the end. */
static int32_t next_letter(const casing *to, const char **text) {
    int32_t bytes;
    if (**text == '\0') {
        return 0;
    }
    const int32_t code = opmill_utf8_read(*text, &bytes);
    *text += bytes;
    return letter_of(to, code);
}

static uint64_t hash_of(const casing *to, const char *text) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (int32_t letter; (letter = next_letter(to, &text)) != 0;) {
        hash = (hash ^ (uint64_t)letter) * UINT64_C(0x100000001B3);
    }
    return hash ^ hash >> 32;
}

static bool is_equal(const casing *to, const char *a, const char *b) {
    for (;;) {
        const int32_t letter = next_letter(to, &a);
        if (letter != next_letter(to, &b)) {
            return false;
        }
        if (letter == 0) {
            return true;
        }
    }
}

/* The stop words, as texts are compared with them. */
typedef struct word_table {
    casing compared;
    const char **entries; /* NULL where there is none */
    uint64_t mask;        /* the number of entries, a power of 2, minus 1 */
} word_table;

static int64_t count_of(const opmill_tensor *words) {
    return words->type == OPMILL_UNDEFINED ? 0 : words->dims[0];
}

/* A power of 2, at least twice the number of words; 0 without words. */
static uint64_t entry_count(int64_t words) {
    uint64_t size = words > 0 ? 2 : 0;
    while (size / 2 < (uint64_t)words) {
        size *= 2;
    }
    return size;
}

static const char **entry_of(const word_table *table, const char *text) {
    uint64_t at = hash_of(&table->compared, text) & table->mask;
    while (table->entries[at] != NULL && !is_equal(&table->compared, table->entries[at], text)) {
        at = (at + 1) & table->mask;
    }
    return &table->entries[at];
}

static word_table begin(const opmill_string_normalize_plan *plan, void *workspace) {
    const int64_t count = count_of(&plan->stopwords);
    const char *const *const words = plan->stopwords.data;
    const uint64_t size = entry_count(count);
    word_table table = {UNCHANGED, opmill_workspace_begin(workspace), size - 1};
    if (!plan->is_case_sensitive) {
        table.compared = casing_of(false, plan->ascii_only);
    }
    if (count == 0) {
        table.entries = NULL;
        return table;
    }
    for (uint64_t i = 0; i < size; i++) {
        table.entries[i] = NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        *entry_of(&table, words[i]) = words[i];
    }
    return table;
}

static bool remains(const word_table *table, const char *text) {
    return table->entries == NULL || *entry_of(table, text) == NULL;
}

static int64_t text_count(const opmill_tensor *X) { return X->dims[X->rank - 1]; }

size_t opmill_string_normalize_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                               const opmill_string_normalize_plan *plan,
                                               const opmill_context *context) {
    (void)X;
    (void)Y;
    (void)context;
    return opmill_workspace_size(entry_count(count_of(&plan->stopwords)) * sizeof(const char *));
}

int opmill_string_normalize_measure(const opmill_tensor *X, opmill_shape *Y,
                                    const opmill_string_normalize_plan *plan,
                                    opmill_context *context) {
    const word_table table = begin(plan, context->workspace);
    const char *const *const texts = X->data;
    const int64_t count = text_count(X);
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++) {
        left += remains(&table, texts[i]);
    }
    Y->dims[Y->rank - 1] = left > 0 ? left : 1;
    return OPMILL_OK;
}

/* The bytes of a text in another case, its NUL included; written where `to` is not NULL. */
static size_t put_text(const casing *change, const char *text, char *to) {
    char character[OPMILL_UTF8_BYTES];
    size_t size = 0;
    for (int32_t letter; (letter = next_letter(change, &text)) != 0;) {
        const int32_t bytes = opmill_utf8_write(letter, character);
        if (to != NULL) {
            memcpy(to + size, character, (size_t)bytes);
        }
        size += (size_t)bytes;
    }
    if (to != NULL) {
        to[size] = '\0';
    }
    return size + 1;
}

int opmill_string_normalize_compute(const opmill_tensor *X, opmill_tensor *Y,
                                    const opmill_string_normalize_plan *plan,
                                    opmill_context *context) {
    const word_table table = begin(plan, context->workspace);
    const casing change = strcmp(plan->action, "NONE") == 0
                              ? UNCHANGED
                              : casing_of(strcmp(plan->action, "UPPER") == 0, plan->ascii_only);
    const char *const *const texts = X->data;
    const char **const results = Y->data;
    const int64_t count = text_count(X);
    int64_t left = 0;
    size_t bytes = 0;
    char *block;
    for (int64_t i = 0; i < count; i++) {
        if (remains(&table, texts[i])) {
            bytes = opmill_strings_add(bytes, put_text(&change, texts[i], NULL));
        }
    }
    const int code = opmill_strings_begin(context, "Y", bytes > 0 ? bytes : 1, &block);
    if (code != OPMILL_OK) {
        return code;
    }
    for (int64_t i = 0; i < count; i++) {
        if (remains(&table, texts[i])) {
            results[left++] = block;
            block += put_text(&change, texts[i], block);
        }
    }
    if (left == 0) {
        *block = '\0';
        results[0] = block;
    }
    return OPMILL_OK;
}
