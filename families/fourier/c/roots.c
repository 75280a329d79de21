/* Computes roots of unity: sine and cosine on an octant, a quarter or a half of the circle,
 * depending on the count; the others follow by symmetry. */
#include "families/fourier/roots.h"

#include "opmill/types.h"
#include "runtime/math/math.h"
#include "runtime/platform/platform.h"

enum { BLOCK = OPMILL_ON_STACK(256, 64) };

#define QUARTER_TURN 1.5707963267948966

/* Angles up to a quarter of a turn or, where there is no symmetry to use, up to a half: each from
 * the nearer end of its octant. */
static void evaluate(double *re, double *im, int64_t count, int64_t begin, int64_t size,
                     int32_t isa) {
    double angles[BLOCK], sines[BLOCK], cosines[BLOCK];
    for (int64_t i = 0; i < size; i++) {
        int64_t quarters = 4 * (begin + i); /* of which `count` are a quarter of a turn */
        quarters = quarters > count ? 2 * count - quarters : quarters;
        quarters = 2 * quarters > count ? count - quarters : quarters;
        angles[i] = (double)quarters / (double)count * QUARTER_TURN;
    }
    opmill_math_sin(OPMILL_DOUBLE, isa)(angles, sines, size);
    opmill_math_cos(OPMILL_DOUBLE, isa)(angles, cosines, size);
    for (int64_t i = 0; i < size; i++) {
        const int64_t quarters = 4 * (begin + i);
        const int64_t folded = quarters > count ? 2 * count - quarters : quarters;
        const double x = 2 * folded > count ? sines[i] : cosines[i];
        const double y = 2 * folded > count ? cosines[i] : sines[i];
        re[begin + i] = quarters > count ? -x : x;
        im[begin + i] = -y;
    }
}

void opmill_fourier_roots(double *re, double *im, int64_t count, int32_t isa) {
    const int64_t half = count / 2;
    int64_t done = count % 4 == 0 ? count / 8 : count % 2 == 0 ? count / 4 : half;
    for (int64_t i = 0; i <= done; i += BLOCK) {
        evaluate(re, im, count, i, done - i < BLOCK ? done - i + 1 : BLOCK, isa);
    }
    if (count % 4 == 0) { /* the second octant: sine and cosine change places */
        for (int64_t i = done + 1; i <= count / 4; i++) {
            re[i] = -im[count / 4 - i];
            im[i] = -re[count / 4 - i];
        }
        done = count / 4;
    }
    if (count % 2 == 0) { /* the second quarter: the cosine is negative */
        for (int64_t i = done + 1; i <= half; i++) {
            re[i] = -re[half - i];
            im[i] = im[half - i];
        }
    }
    for (int64_t i = half + 1; i < count; i++) {
        re[i] = re[count - i];
        im[i] = -im[count - i];
    }
}
