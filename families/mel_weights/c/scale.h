/* The mel scale, mel = 2595 log10(1 + hertz / 700), relative to a lower edge frequency. */
#ifndef OPMILL_MEL_WEIGHTS_SCALE_H
#define OPMILL_MEL_WEIGHTS_SCALE_H

/* The logarithm of how many times `upper` is `lower`, both counted from -700. */
double opmill_mel_span(double lower, double upper);

/* The frequency at a share of the way from `lower` to the upper edge, on the mel scale. */
double opmill_mel_hertz(double lower, double span, double share);

#endif
