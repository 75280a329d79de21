/* The loops of passes for an instruction set; NAME(x) names them.
 *
 * Each radix is a macro over an index q of the width: a part k of it is element at(k) of the input,
 * and put(k, re, im) stores result k, turned by its root unless it is the first of a pass. */

#define ARGUMENTS                                                                                \
    const double *restrict xr, const double *restrict xi, double *restrict yr,                  \
        double *restrict yi, int64_t distance, int64_t width

/* Element q of part k, and of result k; a root times a result. */
#define RE(k) xr[(k) * distance + q]
#define IM(k) xi[(k) * distance + q]
#define STORE(k, re, im)       \
    {                          \
        yr[(k) * width + q] = (re); \
        yi[(k) * width + q] = (im); \
    }
#define TURN(k, re, im)                            \
    {                                              \
        const double tr = (re), ti = (im);         \
        const double first = tr * w##k##r;         \
        const double second = ti * w##k##i;        \
        const double third = tr * w##k##i;         \
        const double fourth = ti * w##k##r;        \
        STORE(k, first - second, third + fourth)   \
    }

#define RADIX_2(PUT)                              \
    const double ar = RE(0), ai = IM(0);          \
    const double br = RE(1), bi = IM(1);          \
    STORE(0, ar + br, ai + bi)                    \
    PUT(1, ar - br, ai - bi)

#define RADIX_3(PUT)                                                      \
    const double ar = RE(0), ai = IM(0);                                  \
    const double sr = RE(1) + RE(2), si = IM(1) + IM(2);                  \
    const double dr = (RE(1) - RE(2)) * SIN_3, di = (IM(1) - IM(2)) * SIN_3; \
    const double mr = ar - 0.5 * sr, mi = ai - 0.5 * si;                  \
    STORE(0, ar + sr, ai + si)                                            \
    PUT(1, mr + di, mi - dr)                                              \
    PUT(2, mr - di, mi + dr)

#define RADIX_4(PUT)                                            \
    const double ar = RE(0) + RE(2), ai = IM(0) + IM(2);        \
    const double br = RE(0) - RE(2), bi = IM(0) - IM(2);        \
    const double cr = RE(1) + RE(3), ci = IM(1) + IM(3);        \
    const double dr = RE(1) - RE(3), di = IM(1) - IM(3);        \
    STORE(0, ar + cr, ai + ci)                                  \
    PUT(1, br + di, bi - dr)                                    \
    PUT(2, ar - cr, ai - ci)                                    \
    PUT(3, br - di, bi + dr)

#define RADIX_5(PUT)                                                              \
    const double ar = RE(0), ai = IM(0);                                          \
    const double br = RE(1) + RE(4), bi = IM(1) + IM(4);                          \
    const double cr = RE(2) + RE(3), ci = IM(2) + IM(3);                          \
    const double dr = RE(1) - RE(4), di = IM(1) - IM(4);                          \
    const double er = RE(2) - RE(3), ei = IM(2) - IM(3);                          \
    const double fr = ar + COS_5_1 * br + COS_5_2 * cr;                           \
    const double fi = ai + COS_5_1 * bi + COS_5_2 * ci;                           \
    const double gr = ar + COS_5_2 * br + COS_5_1 * cr;                           \
    const double gi = ai + COS_5_2 * bi + COS_5_1 * ci;                           \
    const double hr = SIN_5_1 * dr + SIN_5_2 * er, hi = SIN_5_1 * di + SIN_5_2 * ei; \
    const double kr = SIN_5_2 * dr - SIN_5_1 * er, ki = SIN_5_2 * di - SIN_5_1 * ei; \
    STORE(0, ar + br + cr, ai + bi + ci)                                          \
    PUT(1, fr + hi, fi - hr)                                                      \
    PUT(2, gr + ki, gi - kr)                                                      \
    PUT(3, gr - ki, gi + kr)                                                      \
    PUT(4, fr - hi, fi + hr)

/* Without roots, where all are 1. */
#define DEFINE_PLAIN(radix)                                       \
    OPMILL_INLINE void NAME(plain_##radix)(ARGUMENTS) {           \
        for (int64_t q = 0; q < width; q++) {                     \
            RADIX_##radix(STORE)                                  \
        }                                                         \
    }

#define ROOT(k) const double w##k##r = wr[(k) * step], w##k##i = wi[(k) * step];
#define ROOTS_2 ROOT(1)
#define ROOTS_3 ROOTS_2 ROOT(2)
#define ROOTS_4 ROOTS_3 ROOT(3)
#define ROOTS_5 ROOTS_4 ROOT(4)

#define DEFINE_TURNED(radix)                                                                 \
    OPMILL_INLINE void NAME(turned_##radix)(ARGUMENTS, const double *wr, const double *wi,   \
                                            int64_t step) {                                  \
        ROOTS_##radix                                                                        \
        for (int64_t q = 0; q < width; q++) {                                                \
            RADIX_##radix(TURN)                                                              \
        }                                                                                    \
    }

/* All parts of a pass, for a width that the compiler may know. */
#define DEFINE_PARTS(radix)                                                                     \
    DEFINE_PLAIN(radix)                                                                         \
    DEFINE_TURNED(radix)                                                                        \
    OPMILL_INLINE void NAME(parts_##radix)(const fourier_pass *pass, const double *xr,          \
                                           const double *xi, double *yr, double *yi,            \
                                           int64_t width) {                                     \
        const int64_t distance = pass->parts * width;                                           \
        NAME(plain_##radix)(xr, xi, yr, yi, distance, width);                                   \
        for (int64_t p = 1; p < pass->parts; p++) {                                             \
            const int64_t turn = p * pass->step, x = p * width, y = p * width * (radix);        \
            NAME(turned_##radix)(xr + x, xi + x, yr + y, yi + y, distance, width,               \
                                 pass->re, pass->im, turn);                                     \
        }                                                                                       \
    }                                                                                           \
    static void NAME(radix_##radix)(const fourier_pass *pass, const double *xr,                 \
                                    const double *xi, double *yr, double *yi) {                 \
        switch (pass->width) {                                                                  \
        case 2:                                                                                 \
            NAME(parts_##radix)(pass, xr, xi, yr, yi, 2);                                       \
            break;                                                                              \
        case 4:                                                                                 \
            NAME(parts_##radix)(pass, xr, xi, yr, yi, 4);                                       \
            break;                                                                              \
        case 8:                                                                                 \
            NAME(parts_##radix)(pass, xr, xi, yr, yi, 8);                                       \
            break;                                                                              \
        default:                                                                                \
            NAME(parts_##radix)(pass, xr, xi, yr, yi, pass->width);                             \
            break;                                                                              \
        }                                                                                       \
    }

DEFINE_PARTS(2)
DEFINE_PARTS(3)
DEFINE_PARTS(4)
DEFINE_PARTS(5)
#undef RE
#undef IM
#undef STORE
#undef ROOT

/* A width of 1: the parts side by side, and their roots from a table. */
#define RE(k) xr[(k) * parts + q]
#define IM(k) xi[(k) * parts + q]
#define ROOT(k)                                       \
    const double w##k##r = wr[((k) - 1) * parts + q]; \
    const double w##k##i = wi[((k) - 1) * parts + q];
#define DEFINE_SINGLE(radix)                                                                  \
    static void NAME(single_##radix)(const double *restrict xr, const double *restrict xi,    \
                                     double *restrict yr, double *restrict yi, int64_t parts, \
                                     const double *restrict wr, const double *restrict wi) {  \
        for (int64_t q = 0; q < parts; q++) {                                                 \
            ROOTS_##radix                                                                     \
            RADIX_##radix(TURN)                                                               \
        }                                                                                     \
    }
#define STORE(k, re, im)         \
    {                            \
        yr[2 * q + (k)] = (re);  \
        yi[2 * q + (k)] = (im);  \
    }
DEFINE_SINGLE(2)
#undef STORE
#define STORE(k, re, im)         \
    {                            \
        yr[3 * q + (k)] = (re);  \
        yi[3 * q + (k)] = (im);  \
    }
DEFINE_SINGLE(3)
#undef STORE
#define STORE(k, re, im)         \
    {                            \
        yr[4 * q + (k)] = (re);  \
        yi[4 * q + (k)] = (im);  \
    }
DEFINE_SINGLE(4)
#undef STORE
#define STORE(k, re, im)         \
    {                            \
        yr[5 * q + (k)] = (re);  \
        yi[5 * q + (k)] = (im);  \
    }
DEFINE_SINGLE(5)
#undef STORE

static void NAME(pass)(const fourier_pass *pass, const double *xr, const double *xi, double *yr,
                       double *yi) {
    if (pass->width == 1 && pass->step == 0) {
        switch (pass->radix) {
        case 2:
            NAME(single_2)(xr, xi, yr, yi, pass->parts, pass->re, pass->im);
            break;
        case 3:
            NAME(single_3)(xr, xi, yr, yi, pass->parts, pass->re, pass->im);
            break;
        case 4:
            NAME(single_4)(xr, xi, yr, yi, pass->parts, pass->re, pass->im);
            break;
        default:
            NAME(single_5)(xr, xi, yr, yi, pass->parts, pass->re, pass->im);
            break;
        }
        return;
    }
    switch (pass->radix) {
    case 2:
        NAME(radix_2)(pass, xr, xi, yr, yi);
        break;
    case 3:
        NAME(radix_3)(pass, xr, xi, yr, yi);
        break;
    case 4:
        NAME(radix_4)(pass, xr, xi, yr, yi);
        break;
    default:
        NAME(radix_5)(pass, xr, xi, yr, yi);
        break;
    }
}

static void NAME(multiply)(double *restrict re, double *restrict im, const double *restrict by_re,
                           const double *restrict by_im, int64_t rows, int64_t width) {
    if (width == 1) {
        for (int64_t i = 0; i < rows; i++) {
            const double a = re[i], b = im[i];
            const double first = a * by_re[i], second = b * by_im[i];
            const double third = a * by_im[i], fourth = b * by_re[i];
            re[i] = first - second;
            im[i] = third + fourth;
        }
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        const double c = by_re[i], s = by_im[i];
        for (int64_t q = i * width; q < (i + 1) * width; q++) {
            const double a = re[q], b = im[q];
            const double first = a * c, second = b * s;
            const double third = a * s, fourth = b * c;
            re[q] = first - second;
            im[q] = third + fourth;
        }
    }
}

/* Row k from rows k and n - k. */
#define SPECTRUM                                                     \
    const double a = xr[i], b = xi[i], c = xr[j], d = xi[j];         \
    const double first = wr * (a - c), second = wi * (b + d);        \
    const double third = wr * (b + d), fourth = wi * (a - c);        \
    yr[i] = 0.5 * (a + c + (third + fourth));                        \
    yi[i] = 0.5 * (b - d - (first - second));

#define PAIRS                                                        \
    const double a = xr[i], b = xi[i], c = xr[j], d = xi[j];         \
    const double first = wr * (a - c), second = wi * (b + d);        \
    const double third = wr * (b + d), fourth = wi * (a - c);        \
    yr[i] = a + c - (third - fourth);                                \
    yi[i] = b - d + (first + second);

#define ROWS(begin, STEP)                                            \
    if (width == 1) {                                                \
        for (int64_t i = (begin); i < n; i++) {                      \
            const int64_t j = n - i;                                 \
            const double wr = re[i], wi = im[i];                     \
            STEP                                                     \
        }                                                            \
        return;                                                      \
    }                                                                \
    for (int64_t k = (begin); k < n; k++) {                          \
        const double wr = re[k], wi = im[k];                         \
        for (int64_t q = 0; q < width; q++) {                        \
            const int64_t i = k * width + q, j = (n - k) * width + q; \
            STEP                                                     \
        }                                                            \
    }

static void NAME(spectrum)(const double *restrict xr, const double *restrict xi,
                           double *restrict yr, double *restrict yi, const double *restrict re,
                           const double *restrict im, int64_t n, int64_t width) {
    for (int64_t q = 0; q < width; q++) {
        yr[q] = xr[q] + xi[q];
        yr[n * width + q] = xr[q] - xi[q];
        yi[q] = yi[n * width + q] = 0;
    }
    ROWS(1, SPECTRUM)
}

static void NAME(pairs)(const double *restrict xr, const double *restrict xi, double *restrict yr,
                        double *restrict yi, const double *restrict re, const double *restrict im,
                        int64_t n, int64_t width) {
    ROWS(0, PAIRS)
}

static const fourier_functions NAME(functions) = {NAME(pass), NAME(multiply), NAME(spectrum),
                                                  NAME(pairs)};
#undef SPECTRUM
#undef PAIRS
#undef ROWS

#undef ARGUMENTS
#undef RE
#undef IM
#undef TURN
#undef RADIX_2
#undef RADIX_3
#undef RADIX_4
#undef RADIX_5
#undef DEFINE_PLAIN
#undef ROOT
#undef ROOTS_2
#undef ROOTS_3
#undef ROOTS_4
#undef ROOTS_5
#undef DEFINE_TURNED
#undef DEFINE_PARTS
#undef DEFINE_SINGLE
#undef NAME
