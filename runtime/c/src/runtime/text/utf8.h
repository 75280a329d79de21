/* Characters of UTF-8. Bytes that are none are read one by one, each as itself plus
 * OPMILL_UTF8_NONE, and written as they were. */
#ifndef OPMILL_UTF8_H
#define OPMILL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { OPMILL_UTF8_NONE = 0x200000, OPMILL_UTF8_BYTES = 4 };

/* The first character of a text that is not empty, and its bytes. Reads no byte behind a NUL. */
static inline int32_t opmill_utf8_read(const char *text, int32_t *bytes) {
    static const int32_t MIN_CODES[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)text[0];
    const int32_t more = first < 0x80   ? 0
                         : first < 0xC0 ? -1
                         : first < 0xE0 ? 1
                         : first < 0xF0 ? 2
                         : first < 0xF8 ? 3
                                        : -1;
    int32_t code = more <= 0 ? first : first & (0x3F >> more);
    *bytes = 1;
    for (int32_t i = 1; i <= more; i++) {
        const unsigned char next = (unsigned char)text[i];
        if ((next & 0xC0) != 0x80) {
            return first + OPMILL_UTF8_NONE;
        }
        code = code << 6 | (next & 0x3F);
    }
    if (more < 0 || code < MIN_CODES[more] || code > 0x10FFFF ||
        (code >= 0xD800 && code < 0xE000)) {
        return first + OPMILL_UTF8_NONE;
    }
    *bytes = more + 1;
    return code;
}

/* True if a text of some bytes has characters of UTF-8 alone. */
static inline bool opmill_utf8_is_legal(const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes;) {
        uint64_t word;
        int32_t step;
        if (bytes - i >= sizeof word) {
            memcpy(&word, text + i, sizeof word);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                i += sizeof word;
                continue;
            }
        }
        if (opmill_utf8_read(text + i, &step) >= OPMILL_UTF8_NONE) {
            return false;
        }
        i += (size_t)step;
    }
    return true;
}

/* Writes a character, and returns its bytes, at most OPMILL_UTF8_BYTES. */
static inline int32_t opmill_utf8_write(int32_t code, char *to) {
    if (code < 0x80 || code >= OPMILL_UTF8_NONE) {
        to[0] = (char)code;
        return 1;
    }
    const int32_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    for (int32_t i = more; i > 0; i--, code >>= 6) {
        to[i] = (char)(0x80 | (code & 0x3F));
    }
    to[0] = (char)((0xFF00 >> (more + 1) & 0xFF) | code);
    return more + 1;
}

#endif
