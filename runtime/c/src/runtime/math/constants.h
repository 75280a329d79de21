/* The constants of the elementary functions.
 * Written by tests/elementary/fit.py, which computes these numbers. */
#ifndef OPMILL_MATH_CONSTANTS_H
#define OPMILL_MATH_CONSTANTS_H

#include <stdint.h>

/* 1 / ln 2. */
#define OPMILL_LOG2_E 0x1.71547652b82fep+0
/* ln 2. */
#define OPMILL_LN2 0x1.62e42fefa39efp-1
/* ln 2 in two parts; the product of the first and an int12 is exact. */
#define OPMILL_LN2_HIGH 0x1.62e42fefa38p-1
#define OPMILL_LN2_LOW 0x1.ef35793c7673p-45
/* 2 / pi. */
#define OPMILL_TWO_OVER_PI 0x1.45f306dc9c883p-1
/* pi / 2 in four parts; a product of the first three and an int21 is exact. */
#define OPMILL_HALF_PI_1 0x1.921fb544p+0
#define OPMILL_HALF_PI_2 0x1.0b4611a6p-34
#define OPMILL_HALF_PI_3 0x1.3198a2ep-69
#define OPMILL_HALF_PI_4 0x1.b839a252049c1p-104
/* pi / 2 less the first of those. */
#define OPMILL_HALF_PI_REST 0x1.0b4611a626331p-34
/* pi / 2 in three parts; a product of the first two and an int16 is exact. */
#define OPMILL_HALF_PI_FIRST 0x1.921fb5444p+0
#define OPMILL_HALF_PI_SECOND 0x1.68c234c4cp-39
#define OPMILL_HALF_PI_THIRD 0x1.98a2e03707345p-77
/* pi / 2 in two parts. */
#define OPMILL_HALF_PI_HIGH 0x1.921fb54442d18p+0
#define OPMILL_HALF_PI_LOW 0x1.1a62633145c07p-54
/* tan(pi / 8). */
#define OPMILL_TAN_PI_8 0x1.a827999fcef32p-2
/* tan(3 pi / 8). */
#define OPMILL_TAN_3_PI_8 0x1.3504f333f9de6p+1
/* 1 / 3 in two parts. */
#define OPMILL_THIRD_HIGH 0x1.5555555555555p-2
#define OPMILL_THIRD_LOW 0x1.5555555555555p-56
/* sqrt(1 / 2) in two parts. */
#define OPMILL_HALF_SQRT_2 0x1.6a09e667f3bcdp-1
#define OPMILL_HALF_SQRT_2_LOW -0x1.bdd3413b26456p-55
/* 2 / pi. */
#define OPMILL_TWO_OVER_PI_FLOAT 0x1.45f306p-1f
/* pi / 2 in four floats; a product of the first three and an int11 is exact. */
#define OPMILL_HALF_PI_1_FLOAT 0x1.922p+0f
#define OPMILL_HALF_PI_2_FLOAT -0x1.28p-18f
#define OPMILL_HALF_PI_3_FLOAT -0x1.778p-25f
#define OPMILL_HALF_PI_4_FLOAT 0x1.68c234p-39f
/* 1 / ln 2. */
#define OPMILL_LOG2_E_FLOAT 0x1.715476p+0f
/* ln 2 in two floats; the product of the first and an int9 is exact. */
#define OPMILL_LN2_HIGH_FLOAT 0x1.62e4p-1f
#define OPMILL_LN2_LOW_FLOAT 0x1.7f7d1cp-20f
/* the middle between ln(3/4) and ln(3/2). */
#define OPMILL_EXP_CENTRE_FLOAT 0x1.e27076p-5f
/* 2 sqrt(2 / pi) in two parts. */
#define OPMILL_GELU_1 0x1.9884533d43651p+0
#define OPMILL_GELU_1_LOW -0x1.cbc0d30ebfd15p-54
/* 0.044715 times that in two parts. */
#define OPMILL_GELU_3 0x1.2444f2a4d8b4bp-4
#define OPMILL_GELU_3_LOW -0x1.6c843a29d1c7p-61

/* The bits of 2 / pi, the highest first, after 64 zeros. */
static const uint32_t opmill_two_over_pi[] = {
    0u,          0u,          0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
    0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu,
    0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u,
    0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu,
    0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u,
    0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du,
    0xa9e39161u,
};

#endif
