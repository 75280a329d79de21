/* Activations of single numbers, for the references of operators that apply one. */
#ifndef OPMILL_TEST_ACTIVATION_H
#define OPMILL_TEST_ACTIVATION_H

/* The image of a number, by the activation's name in ONNX; parameters that it lacks are ignored. */
double activation_of(const char *name, double x, double alpha, double beta, double gamma);

#endif
