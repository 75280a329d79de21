/* Outcome of a step of a call from Python. */
#ifndef OPMILL_NATIVE_STEP_H
#define OPMILL_NATIVE_STEP_H

/* FALLBACK: the fallback must do it; no exception is set. RAISED: an exception is set. */
typedef enum step { DONE, FALLBACK, RAISED } step;

#endif
