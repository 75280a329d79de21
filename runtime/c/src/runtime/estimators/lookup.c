/* Builds and searches a hash table of keys: open addressing with linear probing, at most half full,
 * located in the workspace. */
#include "runtime/estimators/lookup.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/numbers/integers.h"
#include "runtime/call/workspace.h"

static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static uint64_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/* A power of 2, at least twice the number of keys; false where it overflows. */
static bool table_size(int64_t count, int64_t *size) {
    *size = 2;
    while (*size / 2 < count) {
        if (opmill_mul(*size, 2, size)) {
            return false;
        }
    }
    return true;
}

size_t opmill_lookup_bytes(int64_t count) {
    int64_t size, bytes;
    if (!table_size(count, &size) ||
        opmill_mul(size, (int64_t)sizeof(opmill_lookup_entry), &bytes)) {
        return SIZE_MAX;
    }
    return opmill_workspace_size((uint64_t)bytes);
}

static uint64_t float_code(double value) {
    uint64_t bits;
    if (value != value) {
        return UINT64_C(0x7FF8000000000000);
    }
    value = value == 0 ? 0 : value;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t opmill_lookup_code(const opmill_tensor *tensor, int64_t i) {
    switch (tensor->type) {
    case OPMILL_INT16:
        return opmill_lookup_integer(((const int16_t *)tensor->data)[i]);
    case OPMILL_INT32:
        return opmill_lookup_integer(((const int32_t *)tensor->data)[i]);
    case OPMILL_INT64:
        return opmill_lookup_integer(((const int64_t *)tensor->data)[i]);
    case OPMILL_FLOAT:
        return float_code((double)((const float *)tensor->data)[i]);
    default:
        return float_code(((const double *)tensor->data)[i]);
    }
}

/* The entry of a number or a text, or the unused one where it belongs. */
static opmill_lookup_entry *entry_of(const opmill_lookup *lookup, uint64_t code, const char *text) {
    uint64_t at = mixed(code) & lookup->mask;
    for (;; at = (at + 1) & lookup->mask) {
        opmill_lookup_entry *const entry = &lookup->entries[at];
        if (entry->number == 0 ||
            (entry->code == code && (text == NULL || strcmp(entry->text, text) == 0))) {
            return entry;
        }
    }
}

void opmill_lookup_begin(opmill_lookup *lookup, const opmill_tensor *keys, void *workspace) {
    const int64_t count = keys->dims[0];
    int64_t size;
    table_size(count, &size);
    lookup->mask = (uint64_t)size - 1;
    lookup->entries = opmill_workspace_begin(workspace);
    memset(lookup->entries, 0, (size_t)size * sizeof *lookup->entries);
    for (int64_t i = 0; i < count; i++) {
        const bool is_text = keys->type == OPMILL_STRING;
        const char *const text = is_text ? ((const char *const *)keys->data)[i] : NULL;
        const uint64_t code = is_text ? hash_text(text) : opmill_lookup_code(keys, i);
        *entry_of(lookup, code, text) = (opmill_lookup_entry){code, i + 1, text};
    }
}

int64_t opmill_lookup_number(const opmill_lookup *lookup, uint64_t code) {
    return entry_of(lookup, code, NULL)->number - 1;
}

int64_t opmill_lookup_text(const opmill_lookup *lookup, const char *text) {
    return entry_of(lookup, hash_text(text), text)->number - 1;
}
