/* Defines, by macros, the loops that read lines of each element type into rows of doubles and write
 * them back. */
#include "families/fourier/rows.h"

#include "opmill/types.h"
#include "runtime/numbers/half.h"

#define SAME(x) (x)
#define TO_FLOAT16(x) opmill_float_to_float16_standard((float)(x))
#define TO_BFLOAT16(x) opmill_float_to_bfloat16((float)(x))
#define TO_FLOAT(x) ((float)(x))

#define DEFINE_READ(name, element, convert)                                                      \
    static void read_##name(const fourier_lines *lines, const element *from, int64_t stride,     \
                            int64_t count, double *rows) {                                       \
        if (lines->lanes == 1) {                                                                 \
            const element *const line = from + lines->offsets[0];                                \
            for (int64_t t = 0; t < count; t++) {                                                \
                rows[t] = (double)convert(line[t * stride]);                                     \
            }                                                                                    \
            return;                                                                              \
        }                                                                                        \
        for (int64_t t = 0; t < count; t++) {                                                    \
            for (int i = 0; i < FOURIER_LANES; i++) {                                            \
                rows[t * FOURIER_LANES + i] = (double)convert(from[lines->offsets[i] + t * stride]); \
            }                                                                                    \
        }                                                                                        \
    }

#define DEFINE_WRITE(name, element, convert)                                                     \
    static void write_##name(const fourier_lines *lines, element *to, int64_t stride,            \
                             int64_t count, const double *rows, int64_t step, double scale) {    \
        if (lines->lanes == 1) {                                                                 \
            element *const line = to + lines->offsets[0];                                        \
            for (int64_t t = 0; t < count; t++) {                                                \
                line[t * stride] = convert(rows[t * step] * scale + 0); /* no negative zero */  \
            }                                                                                    \
            return;                                                                              \
        }                                                                                        \
        for (int64_t t = 0; t < count; t++) {                                                    \
            for (int64_t i = 0; i < lines->used; i++) {                                          \
                const double x = rows[t * step * FOURIER_LANES + i] * scale + 0;                 \
                to[lines->offsets[i] + t * stride] = convert(x);                                 \
            }                                                                                    \
        }                                                                                        \
    }

DEFINE_READ(float, float, SAME)
DEFINE_READ(double, double, SAME)
DEFINE_READ(float16, uint16_t, opmill_float16_to_float_standard)
DEFINE_READ(bfloat16, uint16_t, opmill_bfloat16_to_float)
DEFINE_WRITE(float, float, TO_FLOAT)
DEFINE_WRITE(double, double, SAME)
DEFINE_WRITE(float16, uint16_t, TO_FLOAT16)
DEFINE_WRITE(bfloat16, uint16_t, TO_BFLOAT16)

void opmill_fourier_read(const fourier_lines *lines, const void *data, int64_t first,
                         int64_t stride, int64_t count, double *rows) {
    switch (lines->type) {
    case OPMILL_FLOAT:
        read_float(lines, (const float *)data + first, stride, count, rows);
        break;
    case OPMILL_DOUBLE:
        read_double(lines, (const double *)data + first, stride, count, rows);
        break;
    case OPMILL_FLOAT16:
        read_float16(lines, (const uint16_t *)data + first, stride, count, rows);
        break;
    default:
        read_bfloat16(lines, (const uint16_t *)data + first, stride, count, rows);
        break;
    }
}

void opmill_fourier_write(const fourier_lines *lines, void *data, int64_t first, int64_t stride,
                          int64_t count, const double *rows, int64_t step, double scale) {
    switch (lines->type) {
    case OPMILL_FLOAT:
        write_float(lines, (float *)data + first, stride, count, rows, step, scale);
        break;
    case OPMILL_DOUBLE:
        write_double(lines, (double *)data + first, stride, count, rows, step, scale);
        break;
    case OPMILL_FLOAT16:
        write_float16(lines, (uint16_t *)data + first, stride, count, rows, step, scale);
        break;
    default:
        write_bfloat16(lines, (uint16_t *)data + first, stride, count, rows, step, scale);
        break;
    }
}
