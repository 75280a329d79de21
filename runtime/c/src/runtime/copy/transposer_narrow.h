/* Two, three or four rows whose elements alternate in the destination, and as many columns which
 * alternate in the source, as the colours of a picture do. Their number is known to the compiler,
 * which vectorises these loops; the file is included once for each instruction set. */
#include <stdbool.h>
#include <string.h>

#define ELEMENT_GET(value, from) memcpy(&(value), (from), sizeof(value))
#define ELEMENT_PUT(value, to) memcpy((to), &(value), sizeof(value))

#define DEFINE_NARROW(BITS, element)                                                                  \
    static void merge_2_##BITS(uint8_t *restrict out, const uint8_t *restrict in, int64_t step,    \
                               int64_t count) {                                                    \
        const int64_t size = (int64_t)sizeof(element);                                             \
        for (int64_t i = 0; i < count; i++) {                                                      \
            element a, b;                                                                          \
            ELEMENT_GET(a, in + i * size);                                                             \
            ELEMENT_GET(b, in + step + i * size);                                                      \
            ELEMENT_PUT(a, out + 2 * i * size);                                                        \
            ELEMENT_PUT(b, out + (2 * i + 1) * size);                                                  \
        }                                                                                          \
    }                                                                                              \
    static void merge_3_##BITS(uint8_t *restrict out, const uint8_t *restrict in, int64_t step,    \
                               int64_t count) {                                                    \
        const int64_t size = (int64_t)sizeof(element);                                             \
        for (int64_t i = 0; i < count; i++) {                                                      \
            element a, b, c;                                                                       \
            ELEMENT_GET(a, in + i * size);                                                             \
            ELEMENT_GET(b, in + step + i * size);                                                      \
            ELEMENT_GET(c, in + 2 * step + i * size);                                                  \
            ELEMENT_PUT(a, out + 3 * i * size);                                                        \
            ELEMENT_PUT(b, out + (3 * i + 1) * size);                                                  \
            ELEMENT_PUT(c, out + (3 * i + 2) * size);                                                  \
        }                                                                                          \
    }                                                                                              \
    static void merge_4_##BITS(uint8_t *restrict out, const uint8_t *restrict in, int64_t step,    \
                               int64_t count) {                                                    \
        const int64_t size = (int64_t)sizeof(element);                                             \
        for (int64_t i = 0; i < count; i++) {                                                      \
            element a, b, c, d;                                                                    \
            ELEMENT_GET(a, in + i * size);                                                             \
            ELEMENT_GET(b, in + step + i * size);                                                      \
            ELEMENT_GET(c, in + 2 * step + i * size);                                                  \
            ELEMENT_GET(d, in + 3 * step + i * size);                                                  \
            ELEMENT_PUT(a, out + 4 * i * size);                                                        \
            ELEMENT_PUT(b, out + (4 * i + 1) * size);                                                  \
            ELEMENT_PUT(c, out + (4 * i + 2) * size);                                                  \
            ELEMENT_PUT(d, out + (4 * i + 3) * size);                                                  \
        }                                                                                          \
    }                                                                                              \
    static void divide_2_##BITS(uint8_t *restrict out, const uint8_t *restrict in, int64_t step,   \
                                int64_t count) {                                                   \
        const int64_t size = (int64_t)sizeof(element);                                             \
        for (int64_t i = 0; i < count; i++) {                                                      \
            element a, b;                                                                          \
            ELEMENT_GET(a, in + 2 * i * size);                                                         \
            ELEMENT_GET(b, in + (2 * i + 1) * size);                                                   \
            ELEMENT_PUT(a, out + i * size);                                                            \
            ELEMENT_PUT(b, out + step + i * size);                                                     \
        }                                                                                          \
    }                                                                                              \
    static void divide_3_##BITS(uint8_t *restrict out, const uint8_t *restrict in, int64_t step,   \
                                int64_t count) {                                                   \
        const int64_t size = (int64_t)sizeof(element);                                             \
        for (int64_t i = 0; i < count; i++) {                                                      \
            element a, b, c;                                                                       \
            ELEMENT_GET(a, in + 3 * i * size);                                                         \
            ELEMENT_GET(b, in + (3 * i + 1) * size);                                                   \
            ELEMENT_GET(c, in + (3 * i + 2) * size);                                                   \
            ELEMENT_PUT(a, out + i * size);                                                            \
            ELEMENT_PUT(b, out + step + i * size);                                                     \
            ELEMENT_PUT(c, out + 2 * step + i * size);                                                 \
        }                                                                                          \
    }                                                                                              \
    static void divide_4_##BITS(uint8_t *restrict out, const uint8_t *restrict in, int64_t step,   \
                                int64_t count) {                                                   \
        const int64_t size = (int64_t)sizeof(element);                                             \
        for (int64_t i = 0; i < count; i++) {                                                      \
            element a, b, c, d;                                                                    \
            ELEMENT_GET(a, in + 4 * i * size);                                                         \
            ELEMENT_GET(b, in + (4 * i + 1) * size);                                                   \
            ELEMENT_GET(c, in + (4 * i + 2) * size);                                                   \
            ELEMENT_GET(d, in + (4 * i + 3) * size);                                                   \
            ELEMENT_PUT(a, out + i * size);                                                            \
            ELEMENT_PUT(b, out + step + i * size);                                                     \
            ELEMENT_PUT(c, out + 2 * step + i * size);                                                 \
            ELEMENT_PUT(d, out + 3 * step + i * size);                                                 \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* True where the matrix is one of these, and is transposed. */                                \
    static bool transpose_narrow_##BITS(const opmill_matrices *m) {                                   \
        const int64_t size = (int64_t)sizeof(element);                                             \
        if (m->rows >= 2 && m->rows <= 4 && m->out_step == m->rows * size) {                       \
            (m->rows == 2   ? merge_2_##BITS                                                       \
             : m->rows == 3 ? merge_3_##BITS                                                       \
                            : merge_4_##BITS)(m->out, m->in, m->in_step, m->columns);              \
            return true;                                                                           \
        }                                                                                          \
        if (m->columns >= 2 && m->columns <= 4 && m->in_step == m->columns * size) {               \
            (m->columns == 2   ? divide_2_##BITS                                                   \
             : m->columns == 3 ? divide_3_##BITS                                                   \
                               : divide_4_##BITS)(m->out, m->in, m->out_step, m->rows);            \
            return true;                                                                           \
        }                                                                                          \
        return false;                                                                              \
    }

DEFINE_NARROW(8, uint8_t)
DEFINE_NARROW(16, uint16_t)
DEFINE_NARROW(32, uint32_t)
DEFINE_NARROW(64, uint64_t)
