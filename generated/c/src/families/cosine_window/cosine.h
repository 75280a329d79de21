/* The cosine that HannWindow, HammingWindow and BlackmanWindow are computed with. */
#ifndef OPMILL_COSINE_WINDOW_COSINE_H
#define OPMILL_COSINE_WINDOW_COSINE_H

/* The cosine of an angle from 0 to pi. */
double opmill_window_cosine(double angle);

#endif
