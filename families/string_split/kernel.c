/* StringSplit: the parts of texts. A first pass over each text counts, a second one copies. */
#include "families/string_split/kernel.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/text/strings.h"
#include "runtime/text/utf8.h"

/* A text that is being split. */
typedef struct splitter {
    const char *at;        /* what is left of it; NULL where no part is left */
    const char *end;       /* of what is left */
    const char *delimiter; /* "" for whitespace */
    int64_t splits;        /* how many are left; negative without a limit */
} splitter;

static int64_t count_of(const int64_t *dims, int32_t rank) {
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) {
        count *= dims[i];
    }
    return count;
}

/* Unicode's whitespace, with the separators of ASCII. */
static bool is_space(int32_t code) {
    return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 ||
           code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
           code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

/* The first character between two addresses that is whitespace, or is none. */
static const char *find(const char *at, const char *end, bool space) {
    while (at < end) {
        int32_t bytes;
        if (is_space(opmill_utf8_read(at, &bytes)) == space) {
            return at;
        }
        at += bytes;
    }
    return end;
}

static splitter begin(const char *text, const opmill_string_split_plan *plan) {
    splitter scan = {text, text + strlen(text), plan->delimiter, plan->maxsplit};
    if (plan->delimiter[0] == '\0') {
        scan.at = find(text, scan.end, false);
        const char *last = scan.at; /* behind the last character that is no whitespace */
        for (const char *at = scan.at; at < scan.end;) {
            int32_t bytes;
            const bool space = is_space(opmill_utf8_read(at, &bytes));
            at += bytes;
            last = space ? last : at;
        }
        scan.end = last;
        scan.at = scan.at < scan.end ? scan.at : NULL;
    }
    return scan;
}

/* The next part and its bytes; NULL behind the last one. */
static const char *next_part(splitter *scan, size_t *bytes) {
    const char *const part = scan->at;
    const bool by_space = scan->delimiter[0] == '\0';
    const char *end = NULL;
    if (part == NULL) {
        return NULL;
    }
    if (scan->splits != 0) {
        end = by_space ? find(part, scan->end, true) : strstr(part, scan->delimiter);
    }
    if (end == NULL || end == scan->end) {
        *bytes = (size_t)(scan->end - part);
        scan->at = NULL;
        return part;
    }
    scan->splits -= scan->splits > 0;
    scan->at = by_space ? find(end, scan->end, false) : end + strlen(scan->delimiter);
    *bytes = (size_t)(end - part);
    return part;
}

static int64_t count_parts(const char *text, const opmill_string_split_plan *plan) {
    splitter scan = begin(text, plan);
    int64_t count = 0;
    for (size_t bytes; next_part(&scan, &bytes) != NULL;) {
        count++;
    }
    return count;
}

int opmill_string_split_measure(const opmill_tensor *X, opmill_shape *Y, opmill_shape *Z,
                                const opmill_string_split_plan *plan, opmill_context *context) {
    const char *const *const texts = X->data;
    const int64_t count = count_of(X->dims, X->rank);
    int64_t longest = 0;
    (void)Z;
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t parts = count_parts(texts[i], plan);
        longest = parts > longest ? parts : longest;
    }
    Y->dims[X->rank] = longest;
    return OPMILL_OK;
}

int opmill_string_split_compute(const opmill_tensor *X, opmill_tensor *Y, opmill_tensor *Z,
                                const opmill_string_split_plan *plan, opmill_context *context) {
    const char *const *const texts = X->data;
    const int64_t count = count_of(X->dims, X->rank), length = Y->dims[X->rank];
    const char **parts = Y->data;
    int64_t *const counts = Z->data;
    size_t all = count > 0 && length > 0; /* the empty text, for all that are missing */
    char *block;
    for (int64_t i = 0; i < count; i++) {
        splitter scan = begin(texts[i], plan);
        for (size_t bytes; next_part(&scan, &bytes) != NULL;) {
            all = opmill_strings_add(all, bytes + 1);
        }
    }
    const int code = opmill_strings_begin(context, "Y", all, &block);
    if (code != OPMILL_OK) {
        return code;
    }
    const char *const empty = block;
    if (all > 0) {
        *block++ = '\0';
    }
    for (int64_t i = 0; i < count; i++, parts += length) {
        splitter scan = begin(texts[i], plan);
        size_t bytes;
        int64_t found = 0;
        for (const char *part; (part = next_part(&scan, &bytes)) != NULL; found++) {
            parts[found] = memcpy(block, part, bytes);
            block[bytes] = '\0';
            block += bytes + 1;
        }
        counts[i] = found;
        for (int64_t k = found; k < length; k++) {
            parts[k] = empty;
        }
    }
    return OPMILL_OK;
}
