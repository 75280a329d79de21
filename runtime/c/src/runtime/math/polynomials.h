/* The polynomials of the elementary functions: long ones for results in double, short
 * ones for results in float that are computed in double, and those computed in float.
 * Written by tests/elementary/fit.py, which computes these numbers. */
#ifndef OPMILL_MATH_POLYNOMIALS_H
#define OPMILL_MATH_POLYNOMIALS_H

#include "runtime/platform/platform.h"

/* (exp(x) - 1 - x) / x^2; error 2^-58.0. */
OPMILL_INLINE double opmill_poly_exp_long(double x) {
    double y = 0x1.61bfa2413f7fcp-33;
    y = y * x + 0x1.1f7f20132b4f4p-29;
    y = y * x + 0x1.ae642c8725b5ap-26;
    y = y * x + 0x1.27e4d41d657d2p-22;
    y = y * x + 0x1.71de3a5aa6efbp-19;
    y = y * x + 0x1.a01a01a9e8139p-16;
    y = y * x + 0x1.a01a01a0196aep-13;
    y = y * x + 0x1.6c16c16c15a6cp-10;
    y = y * x + 0x1.1111111111111p-7;
    y = y * x + 0x1.5555555555557p-5;
    y = y * x + 0x1.5555555555555p-3;
    y = y * x + 0x1p-1;
    return y;
}

/* (exp(x) - 1 - x) / x^2; error 2^-29.4. */
OPMILL_INLINE double opmill_poly_exp_short(double x) {
    double y = 0x1.a124e412bb9cfp-13;
    y = y * x + 0x1.6d43152a5e20ap-10;
    y = y * x + 0x1.1110e0f71a4a5p-7;
    y = y * x + 0x1.5554e91133b7ep-5;
    y = y * x + 0x1.5555555a78251p-3;
    y = y * x + 0x1.0000000b8f67p-1;
    return y;
}

/* (exp(x) - 1 - x) / x^2, for exp(x); error 2^-56.7. */
OPMILL_INLINE double opmill_poly_exp_beside_one_long(double x) {
    const double z = x * x;
    double y = 0x1.28b03c918852dp-22;
    y = y * z + 0x1.a01996a110f91p-16;
    y = y * z + 0x1.6c16c185a283p-10;
    y = y * z + 0x1.5555555550045p-5;
    y = y * z + 0x1.000000000000bp-1;
    double w = 0x1.af8546df0c40ap-26;
    w = w * z + 0x1.71dddff38c17dp-19;
    w = w * z + 0x1.a01a01bad10e9p-13;
    w = w * z + 0x1.111111110d66bp-7;
    w = w * z + 0x1.5555555555561p-3;
    return y + x * w;
}

/* (exp(x) - 1 - x) / x^2, x from ln(3/4) to ln(3/2), for exp(x); error 2^-26.9. */
OPMILL_INLINE float opmill_poly_exp_by_quarters_float(float x) {
    const float z = x * x;
    float y = 0x1.7f24cep-10f;
    y = y * z + 0x1.55450cp-5f;
    y = y * z + 0x1.000006p-1f;
    float w = 0x1.11f6cp-7f;
    w = w * z + 0x1.5554cep-3f;
    return y + x * w;
}

/* (exp(x) - 1 - x) / x^2; error 2^-27.9. */
OPMILL_INLINE float opmill_poly_exp_of_rest_float(float x) {
    float y = 0x1.a124e4p-13f;
    y = y * x + 0x1.6d4316p-10f;
    y = y * x + 0x1.1110ep-7f;
    y = y * x + 0x1.5554eap-5f;
    y = y * x + 0x1.555556p-3f;
    y = y * x + 0x1p-1f;
    return y;
}

/* (log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2; error 2^-29.7. */
OPMILL_INLINE double opmill_poly_log_short(double x) {
    double y = 0x1.ddced87f793adp-3;
    y = y * x + 0x1.245c437c3b954p-2;
    y = y * x + 0x1.9999eb5d94878p-2;
    y = y * x + 0x1.5555554bb2b05p-1;
    return y;
}

/* (log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2, for log(1 + f); error 2^-58.0. */
OPMILL_INLINE double opmill_poly_log_beside_twice_s_long(double x) {
    const double z = x * x;
    double y = 0x1.2f0545b31fde9p-3;
    y = y * z + 0x1.74663ec5c8261p-3;
    y = y * z + 0x1.24924941f0203p-2;
    y = y * z + 0x1.5555555555592p-1;
    double w = 0x1.39a1bdea16873p-3;
    w = w * z + 0x1.c71c520a18327p-3;
    w = w * z + 0x1.999999997fdcdp-2;
    return y + x * w;
}

/* log2((1 + s) / (1 - s)) / s of s^2; error 2^-36.2. */
OPMILL_INLINE double opmill_poly_log2_short(double x) {
    double y = 0x1.5ce39f66b48e8p-2;
    y = y * x + 0x1.a58dceb8c80acp-2;
    y = y * x + 0x1.27777f463d325p-1;
    y = y * x + 0x1.ec709d13c0556p-1;
    y = y * x + 0x1.71547652bed13p+1;
    return y;
}

/* (log((1 + s) / (1 - s)) - 2 s - 2 s^3 / 3) / (2 s^5) of s^2; error 2^-56.1. */
OPMILL_INLINE double opmill_poly_log_tail_long(double x) {
    double y = 0x1.e02d1cc03596ep-5;
    y = y * x + 0x1.df7ce956c7572p-5;
    y = y * x + 0x1.1118c749a1ccap-4;
    y = y * x + 0x1.3b1395d4f2df4p-4;
    y = y * x + 0x1.745d177a8f30dp-4;
    y = y * x + 0x1.c71c71c6eaa8cp-4;
    y = y * x + 0x1.2492492492521p-3;
    y = y * x + 0x1.999999999999ap-3;
    return y;
}

/* (sin(x) - x) / x^3 of x^2; error 2^-27.6. */
OPMILL_INLINE float opmill_poly_sin_float(float x) {
    float y = 0x1.6dbe08p-19f;
    y = y * x - 0x1.a013a8p-13f;
    y = y * x + 0x1.11110ep-7f;
    y = y * x - 0x1.555556p-3f;
    return y;
}

/* (sin(x) - x) / x^3 of x^2; error 2^-57.3. */
OPMILL_INLINE double opmill_poly_sin_long(double x) {
    double y = 0x1.5d932e803f6c8p-33;
    y = y * x - 0x1.ae5e66d213ab6p-26;
    y = y * x + 0x1.71de3578708cbp-19;
    y = y * x - 0x1.a01a019c12663p-13;
    y = y * x + 0x1.111111110f88p-7;
    y = y * x - 0x1.5555555555549p-3;
    return y;
}

/* (cos(x) - 1 + x^2 / 2) / x^4 of x^2; error 2^-28.6. */
OPMILL_INLINE float opmill_poly_cos_float(float x) {
    float y = 0x1.9bd89cp-16f;
    y = y * x - 0x1.6c12d2p-10f;
    y = y * x + 0x1.555554p-5f;
    return y;
}

/* (cos(x) - 1 + x^2 / 2) / x^4 of x^2; error 2^-60.0. */
OPMILL_INLINE double opmill_poly_cos_long(double x) {
    double y = -0x1.8faed096c68ap-37;
    y = y * x + 0x1.1ee9ec4ab2079p-29;
    y = y * x - 0x1.27e4f80a7b457p-22;
    y = y * x + 0x1.a01a019cb276bp-16;
    y = y * x - 0x1.6c16c16c15185p-10;
    y = y * x + 0x1.555555555554cp-5;
    return y;
}

/* (tan(x) - x) / x^3 of x^2; error 2^-26.1. */
OPMILL_INLINE float opmill_poly_tan_float(float x) {
    float y = 0x1.f7baa4p-9f;
    y = y * x + 0x1.36b8b2p-10f;
    y = y * x + 0x1.46709ep-7f;
    y = y * x + 0x1.623d92p-6f;
    y = y * x + 0x1.ba529ap-5f;
    y = y * x + 0x1.111088p-3f;
    y = y * x + 0x1.555556p-2f;
    return y;
}

/* (sinh(x) - x) / x^3 of x^2, |x| to 1; error 2^-56.6. */
OPMILL_INLINE double opmill_poly_sinh_long(double x) {
    double y = 0x1.328de90012662p-57;
    y = y * x + 0x1.952654734b725p-49;
    y = y * x + 0x1.ae7f44a89136cp-41;
    y = y * x + 0x1.61246136ddcbp-33;
    y = y * x + 0x1.ae64567f56d72p-26;
    y = y * x + 0x1.71de3a556c724p-19;
    y = y * x + 0x1.a01a01a01a01ap-13;
    y = y * x + 0x1.1111111111111p-7;
    y = y * x + 0x1.5555555555555p-3;
    return y;
}

/* (sinh(x) - x) / x^3 of x^2, |x| to 1; error 2^-41.5. */
OPMILL_INLINE double opmill_poly_sinh_short(double x) {
    double y = 0x1.b557c78eb1ae2p-26;
    y = y * x + 0x1.71d208a299728p-19;
    y = y * x + 0x1.a01a131097a98p-13;
    y = y * x + 0x1.1111110857b52p-7;
    y = y * x + 0x1.5555555558201p-3;
    return y;
}

/* P of tanh(x) = x - x^3 P(x^2) / Q(x^2), |x| to 5/8; error 2^-56.2. */
OPMILL_INLINE double opmill_poly_tanh_above_long(double x) {
    double y = 0x1.a1b4e5dd75bf5p-13;
    y = y * x + 0x1.4fda3296bc87dp-6;
    y = y * x + 0x1.5555555555555p-2;
    return y;
}

/* Q of that; error 2^-56.4. */
OPMILL_INLINE double opmill_poly_tanh_below_long(double x) {
    double y = 0x1.b121f4bca84dep-13;
    y = y * x + 0x1.7d9aed2c18586p-6;
    y = y * x + 0x1.d8928315dcef2p-2;
    y = y * x + 0x1p+0;
    return y;
}

/* (atan(x) - x) / x^3 of x^2, |x| to tan(pi / 8); error 2^-35.6. */
OPMILL_INLINE double opmill_poly_atan_short(double x) {
    double y = -0x1.4b388835f8c9ep-5;
    y = y * x + 0x1.24434c368dea1p-4;
    y = y * x - 0x1.71d3c09f933cep-4;
    y = y * x + 0x1.c6f6872f564b8p-4;
    y = y * x - 0x1.2491c08b071c9p-3;
    y = y * x + 0x1.9999982594cb8p-3;
    y = y * x - 0x1.5555555502186p-2;
    return y;
}

/* (atan(x) - x) / x^3 of x^2, |x| to 35/64; error 2^-57.1. */
OPMILL_INLINE double opmill_poly_atan_long(double x) {
    const double z = x * x;
    double y = -0x1.1b93afdd9ac05p-6;
    y = y * z - 0x1.490bf37db121cp-5;
    y = y * z - 0x1.ade4f5fe496dbp-5;
    y = y * z - 0x1.110ef1ed57f4p-4;
    y = y * z - 0x1.745d15801ce1p-4;
    y = y * z - 0x1.2492492471c43p-3;
    y = y * z - 0x1.5555555555553p-2;
    double w = 0x1.5682bc236ffb4p-8;
    w = w * z + 0x1.f333072edfc6ep-6;
    w = w * z + 0x1.7f3f5a137787bp-5;
    w = w * z + 0x1.e1b64f7e2a95cp-5;
    w = w * z + 0x1.3b138bbfcc306p-4;
    w = w * z + 0x1.c71c71b92ed29p-4;
    w = w * z + 0x1.99999999994ccp-3;
    return y + x * w;
}

/* (asin(x) - x) / x^3 of x^2, |x| to 1/2; error 2^-56.5. */
OPMILL_INLINE double opmill_poly_asin_long(double x) {
    double y = 0x1.e529c6fce9bb4p-6;
    y = y * x - 0x1.3b416bb7d9257p-6;
    y = y * x + 0x1.406192d124629p-6;
    y = y * x + 0x1.8f193743418ffp-9;
    y = y * x + 0x1.31622469ce5adp-7;
    y = y * x + 0x1.3b49de7121487p-7;
    y = y * x + 0x1.7b027ee1dd585p-7;
    y = y * x + 0x1.c990ad3d8fdcap-7;
    y = y * x + 0x1.1c4efce23019fp-6;
    y = y * x + 0x1.6e8ba123e494cp-6;
    y = y * x + 0x1.f1c71c7a52ba3p-6;
    y = y * x + 0x1.6db6db6dac1ep-5;
    y = y * x + 0x1.3333333333388p-4;
    y = y * x + 0x1.5555555555555p-3;
    return y;
}

/* (asin(x) - x) / x^3 of x^2, |x| to 1/2; error 2^-31.9. */
OPMILL_INLINE double opmill_poly_asin_short(double x) {
    double y = 0x1.fb7ca379d49c6p-6;
    y = y * x + 0x1.5a80a068e3ee2p-7;
    y = y * x + 0x1.82db23768c84fp-6;
    y = y * x + 0x1.efedf83ab6506p-6;
    y = y * x + 0x1.6dc0f007c13e8p-5;
    y = y * x + 0x1.33331ecf8b70bp-4;
    y = y * x + 0x1.5555555c0171dp-3;
    return y;
}

/* erf(x) / x - 1 of x^2, |x| to 3/4; error 2^-56.2. */
OPMILL_INLINE double opmill_poly_erf_long(double x) {
    double y = -0x1.05364c48fa2d3p-30;
    y = y * x + 0x1.ef41d2b29a3a8p-27;
    y = y * x - 0x1.5ec0e0bec99f7p-23;
    y = y * x + 0x1.b9dae461077e7p-20;
    y = y * x - 0x1.f4d1d6286861cp-17;
    y = y * x + 0x1.f9a32306e0932p-14;
    y = y * x - 0x1.c02db3ec9fd99p-11;
    y = y * x + 0x1.565bcd0e2c679p-8;
    y = y * x - 0x1.b82ce31287ce6p-6;
    y = y * x + 0x1.ce2f21a042bc6p-4;
    y = y * x - 0x1.812746b0379e7p-2;
    y = y * x + 0x1.06eba8214db69p-3;
    return y;
}

/* erf(x) / x - 1 of x^2, |x| to 3/4; error 2^-35.2. */
OPMILL_INLINE double opmill_poly_erf_short(double x) {
    double y = 0x1.8d384f1f8881ap-14;
    y = y * x - 0x1.b624c9b06ee75p-11;
    y = y * x + 0x1.55e3343fd3eb7p-8;
    y = y * x - 0x1.b827051379f15p-6;
    y = y * x + 0x1.ce2efea77636p-4;
    y = y * x - 0x1.81274661ca5c3p-2;
    y = y * x + 0x1.06eba82067622p-3;
    return y;
}

/* (log(1 + x) - x + x^2 / 2) / x^3, 1 + x from sqrt(1 / 2) to sqrt(2); error 2^-25.0. */
OPMILL_INLINE float opmill_poly_log1p_float(float x) {
    const float z = x * x;
    float y = 0x1.1d8ea6p-4f;
    y = y * z + 0x1.dea282p-4f;
    y = y * z + 0x1.23d21ap-3f;
    y = y * z + 0x1.999d5ap-3f;
    y = y * z + 0x1.555554p-2f;
    float w = -0x1.d635bcp-4f;
    w = w * z - 0x1.fcf4c6p-4f;
    w = w * z - 0x1.555b4ap-3f;
    w = w * z - 0x1.fffffcp-3f;
    return y + x * w;
}

/* (1 + 2 x) exp(x^2) erfc(x) of (x - 4) / (x + 4), x from 3/4 to 28; error 2^-54.1. */
OPMILL_INLINE double opmill_poly_erfcx_long(double x) {
    double y = 0x1.e934056cbc23fp-29;
    y = y * x - 0x1.6c2abb5d74901p-27;
    y = y * x - 0x1.870cde2893a58p-26;
    y = y * x + 0x1.c6168a459aacp-24;
    y = y * x + 0x1.5a1d9b0bfe3a9p-24;
    y = y * x - 0x1.b974a98648db6p-21;
    y = y * x + 0x1.36fe0689353acp-22;
    y = y * x + 0x1.7f12b6230de88p-18;
    y = y * x - 0x1.787cc33c9c17bp-17;
    y = y * x - 0x1.9957be2034382p-16;
    y = y * x + 0x1.3be01e301c039p-13;
    y = y * x - 0x1.a1df2e46343b9p-13;
    y = y * x - 0x1.8d4a98af03f53p-11;
    y = y * x + 0x1.49c6728e649d7p-8;
    y = y * x - 0x1.096238860694dp-6;
    y = y * x + 0x1.3079edf670052p-5;
    y = y * x - 0x1.0fb06dfe45d05p-4;
    y = y * x + 0x1.7fee004e12b27p-4;
    y = y * x - 0x1.9ddb23c3e927p-4;
    y = y * x + 0x1.16ecefcfa537ap-4;
    y = y * x + 0x1.f7f5df66fd7ep-7;
    y = y * x - 0x1.1df1ad154a28ep-3;
    y = y * x + 0x1.3ba5916e9fd7fp+0;
    return y;
}

/* (1 + 2 x) exp(x^2) erfc(x) of (x - 4) / (x + 4), x from 3/4 to 28; error 2^-29.6. */
OPMILL_INLINE double opmill_poly_erfcx_short(double x) {
    double y = -0x1.771d2c2254852p-13;
    y = y * x - 0x1.21ab0149841dep-11;
    y = y * x + 0x1.46a7671497184p-8;
    y = y * x - 0x1.0b31d0de81792p-6;
    y = y * x + 0x1.30ae2adbe2bfep-5;
    y = y * x - 0x1.0f931a3695268p-4;
    y = y * x + 0x1.7fe87efb5c652p-4;
    y = y * x - 0x1.9dde89d5fa429p-4;
    y = y * x + 0x1.16ed64d2e6525p-4;
    y = y * x + 0x1.f7f709ccf16c1p-7;
    y = y * x - 0x1.1df1ae68c9c25p-3;
    y = y * x + 0x1.3ba5916a6ebb7p+0;
    return y;
}

/* (cos(x) - 1 + x^2 / 2) / x^4 of x^2; or (sin(x) - x) / x^3 of x^2. */
OPMILL_INLINE double opmill_poly_sin_or_cos_long(double x, int is_cos) {
    double y = is_cos ? -0x1.8faed096c68ap-37 : 0x1.5d932e803f6c8p-33;
    y = y * x + (is_cos ? 0x1.1ee9ec4ab2079p-29 : -0x1.ae5e66d213ab6p-26);
    y = y * x + (is_cos ? -0x1.27e4f80a7b457p-22 : 0x1.71de3578708cbp-19);
    y = y * x + (is_cos ? 0x1.a01a019cb276bp-16 : -0x1.a01a019c12663p-13);
    y = y * x + (is_cos ? -0x1.6c16c16c15185p-10 : 0x1.111111110f88p-7);
    y = y * x + (is_cos ? 0x1.555555555554cp-5 : -0x1.5555555555549p-3);
    return y;
}

/* P of erf(x) / x - 1 = P(x^2) / Q(x^2), x to 1; or of exp(x^2) erfc(x) = P(x) / Q(x). */
OPMILL_INLINE double opmill_poly_erf_above_long(double x, int near) {
    double y = near ? -0x1.5ca26665e4731p-16 : 0x1.2187b1602360dp-7;
    y = y * x + (near ? -0x1.0461f0938045cp-11 : 0x1.56acb7c049d68p-4);
    y = y * x + (near ? -0x1.21171efea4b04p-7 : 0x1.7c3c91c554e65p-2);
    y = y * x + (near ? -0x1.8c41ea4f1a4d1p-5 : 0x1.e41f570de5837p-1);
    y = y * x + (near ? -0x1.4498cf0dff8eep-2 : 0x1.632146116e3e7p+0);
    y = y * x + (near ? 0x1.06eba8214db69p-3 : 0x1.fffffc029cd5cp-1);
    return y;
}

/* Q of those; or the other. */
OPMILL_INLINE double opmill_poly_erf_below_long(double x, int near) {
    double y = near ? 0 : 0x1.00976e0b21923p-6;
    y = y * x + (near ? 0x1.5e14dde65e1ddp-16 : 0x1.2fadcf69b93e9p-3);
    y = y * x + (near ? 0x1.6bb7b3786916ep-11 : 0x1.55046cc2366dcp-1);
    y = y * x + (near ? 0x1.5eca2957c0ad9p-7 : 0x1.bfde87336a831p+0);
    y = y * x + (near ? 0x1.8082a96922d4p-4 : 0x1.645dd35360bcep+1);
    y = y * x + (near ? 0x1.d7b351c0292ccp-2 : 0x1.41ff532f91328p+1);
    y = y * x + (near ? 0x1p+0 : 0x1p+0);
    return y;
}

#endif
